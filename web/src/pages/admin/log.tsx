import { useQuery } from "@tanstack/react-query";
import { logs } from "@/api/admin";
import { Loaded } from "@/ui/feedback/placeholders";
import { Section } from "@/ui/page";
import { CodeBlock } from "@/ui/text/code-block";

export function LogSection() {
  const query = useQuery(logs());
  return (
    <Section title="Log" id="log">
      <Loaded query={query} label="Log">
        {(data) =>
          data.lines.length === 0 ? (
            <p className="muted">The log is empty</p>
          ) : (
            <CodeBlock text={data.lines.join("\n")} label="Log" maxLength={60_000} />
          )
        }
      </Loaded>
    </Section>
  );
}
