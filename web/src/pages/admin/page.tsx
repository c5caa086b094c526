import { useQueries } from "@tanstack/react-query";
import { useEffect } from "react";
import { database, doctor, health, imports, settings } from "@/api/admin";
import { launches } from "@/api/launches";
import { studioSessions } from "@/api/sign-in/sign-in";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { Page } from "@/ui/page";
import { useLatched } from "@/ui/use-latched";
import classes from "./admin.module.css";
import { DatabaseSection } from "./database";
import { DoctorSection } from "./doctor";
import { HealthSection } from "./health";
import { ImportsSection } from "./imports";
import { LaunchesSection } from "./launches";
import { LogSection } from "./log";
import { SessionsSection } from "./sessions";
import { SettingsSection } from "./settings";

const SECTIONS = ["Health", "Doctor", "Database", "Imports", "Launches", "Sessions", "Settings", "Log"] as const;

export function AdminPage() {
  const isReady = useIsReady();
  // A link to a section is followed before there are any.
  useEffect(() => {
    if (isReady && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isReady]);
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
        {isReady ? (
          <>
            <HealthSection />
            <DoctorSection />
            <DatabaseSection />
            <ImportsSection />
            <LaunchesSection />
            <SessionsSection />
            <SettingsSection />
            <LogSection />
          </>
        ) : (
          <LoadingLine label="admin" />
        )}
      </div>
    </Page>
  );
}

/** Whether every section above the log has its data or failed: one that loads later pushes those below it down. */
function useIsReady(): boolean {
  const isReady = useQueries({
    queries: [health(), doctor(), database(), imports(), launches(), studioSessions(), settings()],
    combine: (results) => results.every(({ isPending }) => !isPending),
  });
  return useLatched(isReady);
}
