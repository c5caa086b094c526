// A unified diff of two texts. Loaded on demand.
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { getNonce } from "get-nonce";
import { useEffect, useRef } from "react";
import classes from "./editor.module.css";
import { editorTheme } from "./editor-theme";

export default function CodeDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!container.current) return;
    const view = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ""),
          lineNumbers(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3 } }),
          editorTheme,
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={container} className={classes.diff} />;
}
