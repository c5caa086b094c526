// Looking after everything: how runs do, what the doctor found, the database, imports, settings and the log.
import { Page } from "@/ui/page";
import classes from "./admin.module.css";
import { DatabaseSection } from "./database";
import { DoctorSection } from "./doctor";
import { HealthSection } from "./health";
import { ImportsSection } from "./imports";
import { LaunchesSection } from "./launches";
import { LogSection } from "./log";
import { SettingsSection } from "./settings";

const SECTIONS = ["Health", "Doctor", "Database", "Imports", "Started here", "Settings", "Log"] as const;
const idOf = (part: string): string => part.toLowerCase().replace(/ /g, "-");

export function AdminPage() {
  return (
    <Page
      title="Admin"
      bar={
        <nav className={classes.sectionNav} aria-label="Parts of this page">
          {SECTIONS.map((part) => (
            <a key={part} href={`#${idOf(part)}`}>
              {part}
            </a>
          ))}
        </nav>
      }
    >
      <div className={classes.admin}>
        <HealthSection />
        <DoctorSection />
        <DatabaseSection />
        <ImportsSection />
        <LaunchesSection />
        <SettingsSection />
        <LogSection />
      </div>
    </Page>
  );
}
