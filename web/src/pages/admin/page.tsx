import { Page } from "@/ui/page";
import classes from "./admin.module.css";
import { DatabaseSection } from "./database";
import { DoctorSection } from "./doctor";
import { HealthSection } from "./health";
import { ImportsSection } from "./imports";
import { LaunchesSection } from "./launches";
import { LogSection } from "./log";
import { SettingsSection } from "./settings";

const SECTIONS = ["Health", "Doctor", "Database", "Imports", "Launches", "Settings", "Log"] as const;

export function AdminPage() {
  return (
    <Page
      title="Admin"
      bar={
        <nav className={classes.sectionNav} aria-label="Sections of this page">
          {SECTIONS.map((section) => (
            <a key={section} href={`#${section.toLowerCase()}`}>
              {section}
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
