// CodeMirror with our theme and the CSP nonce. Loaded when the user edits.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { yaml, yamlFrontmatter } from "@codemirror/lang-yaml";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { getNonce } from "get-nonce";
import { useEffect, useRef } from "react";
import type { TextProblem } from "@/api/definitions";
import { useLatest } from "@/ui/use-latest";
import classes from "./editor.module.css";
import { editorTheme, syntaxColors } from "./editor-theme";

interface EditorProps {
  text: string;
  language: "markdown" | "yaml";
  problems: TextProblem[];
  label: string;
  change: (text: string) => void;
  save: () => void;
  leave: () => void;
}

export default function CodeEditor(props: EditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useLatest(props);
  const { language, label, problems, text } = props;
  useEffect(() => {
    if (!container.current) return;
    const state = EditorState.create({
      doc: latest.current.text,
      extensions: [
        EditorView.cspNonce.of(getNonce() ?? ""),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        lintGutter(),
        language === "yaml" ? yaml() : yamlFrontmatter({ content: markdown() }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label }),
        editorTheme,
        syntaxColors,
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: () => handled(latest.current.save) },
          // Tab indents, so Escape is the way out for keyboard users.
          { key: "Escape", run: () => handled(latest.current.leave) },
          indentWithTab,
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.change(update.state.doc.toString());
        }),
      ],
    });
    const editor = new EditorView({ state, parent: container.current });
    view.current = editor;
    editor.focus();
    return () => editor.destroy();
  }, [language, label, latest]);
  useEffect(() => {
    const editor = view.current;
    // The text was replaced by the version on disk or by a rollback.
    if (editor && editor.state.doc.toString() !== text) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
    }
  }, [text]);
  useEffect(() => {
    if (view.current) view.current.dispatch(setDiagnostics(view.current.state, toDiagnostics(view.current, problems)));
  }, [problems]);
  return <div ref={container} className={classes.editor} />;
}

/** CodeMirror expects true from a handler that consumed the key. */
function handled(run: () => void): true {
  run();
  return true;
}

function toDiagnostics(view: EditorView, problems: TextProblem[]): Diagnostic[] {
  const { doc } = view.state;
  return problems.map((problem) => {
    const line = doc.line(Math.min(doc.lines, Math.max(1, problem.line ?? 1)));
    const severity = problem.severity === "error" ? "error" : "warning";
    return { from: line.from, to: line.to, severity, message: problem.message };
  });
}
