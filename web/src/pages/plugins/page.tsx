// Installed plugins and skills. Read-only: the page never runs them.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { plugins, skills } from "@/api/definitions";
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { List, ListRow } from "@/ui/list/list-row";
import { Page, Section } from "@/ui/page";
import { ProblemList } from "@/ui/text/problem-list";
import { PluginRow } from "./plugin-row";
import classes from "./plugins.module.css";

export function PluginsPage() {
  const pluginsQuery = useQuery(plugins());
  const skillsQuery = useQuery(skills());
  return (
    <Page title="Plugins">
      <Section title="Plugins" beside={<span className="muted">read-only</span>}>
        <Loaded query={pluginsQuery} label="Plugins">
          {(data) => (
            <>
              {data.items.length === 0 ? <NoPlugins /> : <PluginList items={data.items} />}
              <SearchedFolders folders={data.looked} />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Skills">
        <Loaded query={skillsQuery} label="Skills">
          {(data) => (
            <>
              {data.items.length === 0 ? (
                <p className="muted">No skills outside of plugins</p>
              ) : (
                <List label="Skills">
                  {data.items.map((item) => (
                    <ListRow
                      key={item.path}
                      title={item.name}
                      description={item.description ?? "No description"}
                      error={item.error}
                      details={<ProblemList problems={item.problems} />}
                    >
                      <span className="outline-badge">{item.origin}</span>
                    </ListRow>
                  ))}
                </List>
              )}
              <SearchedFolders folders={data.looked} />
            </>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

function PluginList({ items }: { items: Schema<"PluginView">[] }) {
  const [opened, setOpened] = useState<string>();
  const navigate = useNavigate();
  const toggle = (path: string | undefined): void => setOpened(path === opened ? undefined : path);
  const [cursor] = useListKeys({
    count: items.length,
    open: (index) => toggle(items[index]?.path),
    leave: () => (opened ? setOpened(undefined) : void navigate({ to: "/" })),
  });
  return (
    <List label="Plugins">
      {items.map((plugin, index) => (
        <PluginRow
          key={plugin.path}
          plugin={plugin}
          open={plugin.path === opened}
          active={index === cursor}
          toggle={() => toggle(plugin.path)}
        />
      ))}
    </List>
  );
}

function SearchedFolders({ folders }: { folders: Schema<"SearchPathView">[] }) {
  const unreadable = folders.filter((folder) => folder.refused);
  return (
    <details className={classes.folders}>
      <summary>
        {plural(folders.length, "folder")} searched
        {unreadable.length > 0 && `, ${unreadable.length} could not be read`}
      </summary>
      <ul>
        {folders.map((folder) => (
          <li key={folder.path}>
            <code>{folder.path}</code> {folder.refused && <span className="error-text">{folder.refused}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function NoPlugins() {
  return <EmptyState title="No plugins">Plugins of Claude Code and of your Lion Studio home appear here.</EmptyState>;
}
