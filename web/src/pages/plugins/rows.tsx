// A plugin and a skill as rows of a list.
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { ListRow, RowLink } from "@/ui/list/list-row";
import { ProblemList } from "@/ui/text/problem-list";
import classes from "./plugins.module.css";
import { ROOT_NAMES } from "./searched-folders";

type Plugin = Schema<"PluginView">;

const NOUNS: Record<string, string> = {
  skill: "skill",
  agent: "agent",
  command: "command",
  hook: "hook",
  server: "MCP server",
};

export function PluginRow({ plugin, active }: { plugin: Plugin; active: boolean }) {
  const counts = Object.entries(plugin.counts).filter(([, count]) => count > 0);
  return (
    <ListRow
      active={active}
      title={
        <RowLink to="/plugins" search={{ plugin: plugin.id }}>
          {plugin.name}
        </RowLink>
      }
      description={plugin.description ?? "No description"}
      details={plugin.error && <ProblemList problems={plugin.problems} />}
    >
      <span className={classes.facts}>
        <span className={classes.counts}>
          {counts.map(([kind, count]) => plural(count, NOUNS[kind] ?? kind)).join(" · ")}
        </span>
        {plugin.bad_components > 0 && (
          <span className="warning-text">{plural(plugin.bad_components, "invalid component")}</span>
        )}
        <PluginBadges plugin={plugin} />
      </span>
    </ListRow>
  );
}

export function PluginBadges({ plugin }: { plugin: Plugin }) {
  return (
    <span className={classes.badges}>
      <span className="outline-badge">{plugin.version ? `v${plugin.version}` : "no version"}</span>
      {plugin.newest && (
        <span className="outline-badge" title={`v${plugin.newest} is used instead of this version`}>
          older version
        </span>
      )}
      {plugin.read_only && (
        <span className="outline-badge" title={plugin.origin === "claude" ? "Claude Code manages this plugin" : ""}>
          read-only
        </span>
      )}
      <span className="outline-badge">{ROOT_NAMES[plugin.origin] ?? plugin.origin}</span>
    </span>
  );
}

/** A skill; one of a plugin leads to it. */
export function SkillRow({ skill, plugins }: { skill: Schema<"DefinitionView">; plugins: Plugin[] }) {
  const plugin = plugins.find((one) => skill.path.startsWith(`${one.path}/`));
  const item = skill.name.slice(skill.name.indexOf(":") + 1);
  return (
    <ListRow
      title={
        plugin ? (
          <RowLink to="/plugins" search={{ plugin: plugin.id, tab: "skills", item }}>
            {skill.name}
          </RowLink>
        ) : (
          skill.name
        )
      }
      description={skill.description ?? "No description"}
      details={<ProblemList problems={skill.problems} />}
    >
      {skill.shadowed_by && <span className="warning-text">overridden by {skill.shadowed_by}</span>}
      <span className="outline-badge">{plugin ? "plugin" : (ROOT_NAMES[skill.origin] ?? skill.origin)}</span>
    </ListRow>
  );
}
