// Ctrl-Enter, or Cmd-Enter on a Mac, submits the form or dialog of a text area.
interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
}

export const isSubmitKey = ({ key, ctrlKey, metaKey }: Key): boolean => key === "Enter" && (ctrlKey || metaKey);
