// Plugins and skills that were found, what is in them, where was looked, and what did not load. Nothing of them is run.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { plugins, skills } from "@/api/definitions";
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { Page, Panel, Section } from "@/ui/page";
import { PluginRow } from "./plugin-row";
import classes from "./plugins.module.css";
import { Problems } from "./problems";

export function PluginsPage() {
  const pluginsQuery = useQuery(plugins());
  const skillsQuery = useQuery(skills());
  return (
    <Page title="Plugins">
      <Section title="Plugins" beside={<span className={classes.muted}>shown, never run from here</span>}>
        <Loaded query={pluginsQuery} label="Plugins">
          {(data) => (
            <>
              {data.items.length === 0 ? <NoPlugins /> : <List items={data.items} />}
              <SearchedFolders places={data.looked} />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Skills">
        <Loaded query={skillsQuery} label="Skills">
          {(data) => (
            <>
              {data.items.length === 0 && <p className={classes.muted}>No skills of their own.</p>}
              {data.items.length > 0 && (
                <Panel>
                  <ul className={classes.list} aria-label="Skills">
                    {data.items.map((item) => (
                      <SkillRow key={item.path} item={item} />
                    ))}
                  </ul>
                </Panel>
              )}
              <SearchedFolders places={data.looked} />
            </>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

function List({ items }: { items: Schema<"Plugin">[] }) {
  const [opened, setOpened] = useState<string>();
  const navigate = useNavigate();
  const toggle = (path: string | undefined): void => setOpened(path === opened ? undefined : path);
  const [at] = useListKeys({
    count: items.length,
    open: (index) => toggle(items[index]?.path),
    leave: () => (opened ? setOpened(undefined) : void navigate({ to: "/" })),
  });
  return (
    <Panel>
      <ul className={classes.list} aria-label="Plugins">
        {items.map((plugin, index) => (
          <PluginRow
            key={plugin.path}
            plugin={plugin}
            open={plugin.path === opened}
            active={index === at}
            toggle={() => toggle(plugin.path)}
          />
        ))}
      </ul>
    </Panel>
  );
}

function SkillRow({ item }: { item: Schema<"Definition"> }) {
  return (
    <li className={classes.skill}>
      <b>{item.name}</b>
      <span className={item.error ? classes.error : classes.muted}>{item.error ?? item.description}</span>
      <span className={classes.origin}>{item.origin}</span>
      <Problems problems={item.problems} />
    </li>
  );
}

function SearchedFolders({ places }: { places: Schema<"Place">[] }) {
  const refused = places.filter((place) => place.refused);
  return (
    <details className={classes.folders}>
      <summary>
        Looked in {plural(places.length, "folder")}
        {refused.length > 0 && `, ${refused.length} could not be read`}
      </summary>
      <ul>
        {places.map((place) => (
          <li key={place.path}>
            <code>{place.path}</code>{" "}
            {place.refused && <span className={classes.error}>{place.refused}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function NoPlugins() {
  return (
    <EmptyState title="No plugins were found">
      Plugins of Claude Code (its marketplaces and its cache) and of your home appear here by themselves.
    </EmptyState>
  );
}
