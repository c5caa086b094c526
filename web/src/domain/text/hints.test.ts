import { expect, test } from "vitest";
import { withHint } from "./hints";

test.each([
  ["no model is set", "set embed_model", "no model is set. Set embed_model"],
  ["session 'x' not found", "`li state ls` lists them", "session 'x' not found. `li state ls` lists them"],
  ["Studio does not answer.", "Is `li studio` running?", "Studio does not answer. Is `li studio` running?"],
  ["what is that?", "li --help", "what is that? Run `li --help`"],
  ["it is busy", "li ps, then try again", "it is busy. Run `li ps`, then try again"],
  ["no such key", "li usage --by day,model", "no such key. Run `li usage --by day,model`"],
  ["no key", "embed_key_variable names one", "no key. embed_key_variable names one"],
  ["it is gone", null, "it is gone"],
])("withHint joins %s and %s", (message, hint, said) => {
  expect(withHint(message, hint)).toBe(said);
});
