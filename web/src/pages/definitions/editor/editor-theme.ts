// The theme of the editor. CSS variables make it work for light and dark.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const editorTheme = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--text-m)", backgroundColor: "var(--surface)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--text)", padding: "12px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--sunken)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--selected) !important",
  },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
  },
  ".cm-collapsedLines": { background: "var(--sunken)", color: "var(--dim)" },
  // The default character is missing from our fonts.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"' },
  ".cm-changedLine": { backgroundColor: "var(--success-bg) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--danger-bg)" },
  ".cm-changedText": { background: "none !important", textDecoration: "underline" },
});

export const syntaxColors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.heading, fontWeight: "600" },
    { tag: tags.strong, fontWeight: "600" },
    { tag: tags.emphasis, fontStyle: "italic" },
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--info)" },
    { tag: [tags.string, tags.content], color: "var(--text)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
    { tag: [tags.monospace, tags.keyword], color: "var(--accent)" },
    { tag: [tags.comment, tags.meta, tags.punctuation, tags.separator], color: "var(--dim)" },
    { tag: [tags.link, tags.url], color: "var(--accent)", textDecoration: "underline" },
  ]),
);
