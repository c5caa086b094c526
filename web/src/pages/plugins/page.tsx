// Installed plugins and skills. Read-only: the page never runs them.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { plugins, skills } from "@/api/definitions";
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { EmptyState, Loaded, LoadingLine } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { FilterBar } from "@/ui/list/filter-bar";
import { List } from "@/ui/list/list-row";
import { Page, Section } from "@/ui/page";
import { PluginView } from "./plugin-view";
import classes from "./plugins.module.css";
import { PluginRow, SkillRow } from "./rows";
import { ROOT_NAMES, SearchedFolders } from "./searched-folders";

type Plugin = Schema<"PluginView">;

export function PluginsPage() {
  const { plugin } = useSearch({ from: "/plugins" });
  return plugin === undefined ? <PluginsList /> : <PluginView id={plugin} />;
}

function PluginsList() {
  const { q, root } = useSearch({ from: "/plugins" });
  const navigate = useNavigate();
  const pluginsQuery = useQuery(plugins());
  const skillsQuery = useQuery(skills());
  const change = (name: string, value: string | undefined): void =>
    void navigate({ to: "/plugins", search: (old) => withValue(old, name, value), replace: true });
  const all = pluginsQuery.data?.items ?? [];
  const roots = [...new Set(all.map((plugin) => plugin.origin))];
  const isListed = (item: { name: string; description: string | null; origin: string }): boolean =>
    (root === undefined || item.origin === root) &&
    `${item.name} ${item.description ?? ""}`.toLowerCase().includes(q?.toLowerCase() ?? "");
  const isFiltered = q !== undefined || root !== undefined;
  // The plugins push the skills below them down.
  const isReady = !pluginsQuery.isPending && !skillsQuery.isPending;
  return (
    <Page
      title="Plugins"
      beside={<span className="muted">read-only</span>}
      bar={
        <FilterBar
          text={{ value: q, placeholder: "Filter plugins and skills…" }}
          choices={[
            {
              name: "root",
              label: "Root",
              value: root,
              options: roots.map((value) => ({
                value,
                label: ROOT_NAMES[value] ?? value,
                count: all.filter((plugin) => plugin.origin === value).length,
              })),
            },
          ]}
          change={change}
          clear={() => void navigate({ to: "/plugins", search: {}, replace: true })}
        />
      }
    >
      {isReady ? (
        <>
          <Section title="Plugins">
            <Loaded query={pluginsQuery} label="Plugins">
              {(data) => (
                <>
                  <PluginList items={data.items.filter(isListed)} isFiltered={isFiltered} />
                  <SearchedFolders
                    folders={data.looked}
                    paths={data.items.map((plugin) => plugin.path)}
                    what="plugin"
                  />
                </>
              )}
            </Loaded>
          </Section>
          <Section title="Skills">
            <Loaded query={skillsQuery} label="Skills">
              {(data) => {
                const listed = data.items.filter(isListed);
                return (
                  <>
                    {listed.length === 0 ? (
                      <p className="muted">
                        {isFiltered ? "No skills match" : "No skills in plugins or in the folders below"}
                      </p>
                    ) : (
                      <List label="Skills">
                        {listed.map((skill) => (
                          <SkillRow key={skill.path} skill={skill} plugins={all} />
                        ))}
                      </List>
                    )}
                    <SearchedFolders folders={data.looked} paths={data.items.map((skill) => skill.path)} what="skill" />
                  </>
                );
              }}
            </Loaded>
          </Section>
        </>
      ) : (
        <LoadingLine label="plugins" />
      )}
    </Page>
  );
}

function withValue<T extends object>(old: T, name: string, value: string | undefined): T {
  const { [name as keyof T]: _, ...rest } = old;
  return (value === undefined ? rest : { ...rest, [name]: value }) as T;
}

function PluginList({ items, isFiltered }: { items: Plugin[]; isFiltered: boolean }) {
  const navigate = useNavigate();
  const loaded = items.filter((plugin) => !plugin.error);
  const broken = items.filter((plugin) => plugin.error);
  const ordered = [...loaded, ...broken];
  const [cursor] = useListKeys({
    count: ordered.length,
    open: (index) => {
      const id = ordered[index]?.id;
      if (id) void navigate({ to: "/plugins", search: { plugin: id } });
    },
    leave: () => void navigate({ to: "/" }),
  });
  if (items.length === 0) {
    return isFiltered ? <EmptyState title="No plugins match">Clear the filter to see all.</EmptyState> : <NoPlugins />;
  }
  return (
    <>
      {loaded.length > 0 && (
        <List label="Plugins">
          {loaded.map((plugin, index) => (
            <PluginRow key={plugin.path} plugin={plugin} active={index === cursor} />
          ))}
        </List>
      )}
      {broken.length > 0 && (
        <>
          <h3 className={classes.broken}>{plural(broken.length, "plugin")} did not load</h3>
          <List label="Plugins that did not load">
            {broken.map((plugin, index) => (
              <PluginRow key={plugin.path} plugin={plugin} active={loaded.length + index === cursor} />
            ))}
          </List>
        </>
      )}
    </>
  );
}

function NoPlugins() {
  return (
    <EmptyState title="No plugins">
      Plugins that you install in Claude Code appear here, and those in the folder <code>plugins</code> of your home.
      The folders below were searched.
    </EmptyState>
  );
}
