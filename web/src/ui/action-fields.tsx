// The form fields that an action requires, as the server describes them.
import { Textarea, TextInput } from "@mantine/core";
import type { ActionField } from "@/domain/actions";

interface FieldsProps {
  fields: readonly ActionField[];
  values: Readonly<Record<string, string>>;
  change: (values: Record<string, string>) => void;
}

export function ActionFields({ fields, values, change }: FieldsProps) {
  return fields.map(({ name, label, kind, required }) => {
    const shared = {
      label,
      required,
      mt: "sm",
      value: values[name] ?? "",
      "data-autofocus": true,
      onChange: (event: { currentTarget: { value: string } }) =>
        change({ ...values, [name]: event.currentTarget.value }),
    };
    if (kind === "lines") return <Textarea key={name} {...shared} autosize minRows={3} maxRows={12} />;
    return <TextInput key={name} {...shared} inputMode={kind === "number" ? "decimal" : "text"} />;
  });
}
