// One plugin: facts, problems, and its content in tabs. Its texts are hostile and rendered as such.
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { plugin as pluginQuery } from "@/api/definitions";
import type { Schema } from "@/api/keys";
import { escapeBidi } from "@/domain/text/bidi";
import { Loaded } from "@/ui/feedback/placeholders";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { Breadcrumb, Page } from "@/ui/page";
import { Markdown } from "@/ui/text/markdown";
import { ProblemList } from "@/ui/text/problem-list";
import { Hooks, Servers } from "./plugin-programs";
import { PluginTexts } from "./plugin-texts";
import classes from "./plugins.module.css";
import { type PluginTab, TABS } from "./route";
import { PluginBadges } from "./rows";

type Detail = Schema<"PluginDetail">;

const LABELS: Record<PluginTab, string> = {
  skills: "Skills",
  agents: "Agents",
  commands: "Commands",
  hooks: "Hooks",
  servers: "MCP",
  readme: "README",
};

export function PluginView({ id }: { id: string }) {
  const query = useQuery(pluginQuery(id));
  const navigate = useNavigate();
  useShortcuts([{ keys: "Escape", label: "Back", group: "Plugins", run: () => void navigate({ to: "/plugins" }) }]);
  const plugin = query.data?.plugin;
  return (
    <Page
      title={plugin?.name ?? "Plugin"}
      before={
        <Breadcrumb to="/plugins" search={{}}>
          Plugins
        </Breadcrumb>
      }
      beside={plugin && <PluginBadges plugin={plugin} />}
    >
      <Loaded query={query} label="Plugin">
        {(detail) => <Content detail={detail} />}
      </Loaded>
    </Page>
  );
}

function Content({ detail }: { detail: Detail }) {
  const { tab, item } = useSearch({ from: "/plugins" });
  const navigate = useNavigate();
  const { plugin } = detail;
  const sizes = countsOf(detail);
  const shown = tab ?? TABS.find((name) => sizes[name] > 0) ?? "readme";
  const select = (value: string | null): void =>
    void navigate({ to: "/plugins", search: { plugin: plugin.id, tab: value as PluginTab }, replace: true });
  const texts = (kind: string) => (
    <PluginTexts
      kind={kind}
      texts={detail.texts.filter((text) => text.kind === kind)}
      components={plugin.components.filter((part) => part.kind === kind)}
      opened={item}
    />
  );
  const components = (kind: string) => plugin.components.filter((part) => part.kind === kind);
  return (
    <div className={classes.plugin}>
      {plugin.description && <p>{escapeBidi(plugin.description)}</p>}
      <code className={classes.path}>{plugin.path}</code>
      <ProblemList problems={plugin.problems} />
      <Tabs value={shown} onChange={select} keepMounted={false} mt="md">
        <Tabs.List aria-label="Content of the plugin">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name} data-empty={sizes[name] === 0}>
              {LABELS[name]} {name !== "readme" && <span className={classes.count}>{sizes[name]}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="skills">{texts("skill")}</Tabs.Panel>
        <Tabs.Panel value="agents">{texts("agent")}</Tabs.Panel>
        <Tabs.Panel value="commands">{texts("command")}</Tabs.Panel>
        <Tabs.Panel value="hooks">
          <Hooks hooks={detail.hooks} components={components("hook")} />
        </Tabs.Panel>
        <Tabs.Panel value="servers">
          <Servers servers={detail.servers} components={components("server")} />
        </Tabs.Panel>
        <Tabs.Panel value="readme" className={classes.readme}>
          {detail.readme ? <Markdown text={detail.readme} /> : <p className="muted">No README</p>}
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

function countsOf({ plugin, readme }: Detail): Record<PluginTab, number> {
  const { skill = 0, agent = 0, command = 0, hook = 0, server = 0 } = plugin.counts;
  return { skills: skill, agents: agent, commands: command, hooks: hook, servers: server, readme: readme ? 1 : 0 };
}
