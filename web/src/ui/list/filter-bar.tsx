// A filter bar: a text field, selects with counts, and Clear. The address holds the values.
import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconX } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { compact } from "@/domain/text/format";
import { useShortcuts } from "../keyboard/shortcuts";
import classes from "./filter-bar.module.css";

export interface Choice {
  name: string;
  label: string;
  value: string | undefined;
  options: { value: string; label?: string | undefined; count?: number | undefined }[];
}

interface FilterBarProps {
  text?: { value: string | undefined; placeholder: string };
  choices: Choice[];
  change: (name: string, value: string | undefined) => void;
  clear: () => void;
  children?: ReactNode;
}

export function FilterBar({ text, choices, change, clear, children }: FilterBarProps) {
  const isFiltered = Boolean(text?.value) || choices.some((choice) => choice.value !== undefined);
  return (
    <search className={classes.bar}>
      {text && <TextFilter {...text} shortcut change={(value) => change("q", value)} />}
      {choices.map((choice) => (
        <Select
          key={choice.name}
          className={classes.select}
          aria-label={choice.label}
          placeholder={choice.label}
          value={choice.value ?? null}
          data-set={choice.value !== undefined}
          onChange={(value) => change(choice.name, value ?? undefined)}
          data={optionsOf(choice)}
          clearable
          searchable={choice.options.length > 8}
          comboboxProps={{ width: "max-content", position: "bottom-start" }}
          nothingFoundMessage="No matches"
        />
      ))}
      {isFiltered && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={13} />} onClick={clear}>
          Clear
        </Button>
      )}
      {children}
    </search>
  );
}

function optionsOf({ options, value }: Choice) {
  const all =
    value === undefined || options.some((option) => option.value === value) ? options : [...options, { value }];
  return all.map((option) => {
    const label = option.label ?? option.value;
    return {
      value: option.value,
      label: option.count === undefined ? label : `${label} · ${compact(option.count)}`,
    };
  });
}

interface TextFilterProps {
  value: string | undefined;
  placeholder: string;
  label?: string;
  icon?: ReactNode;
  width?: number;
  change: (value: string | undefined) => void;
  /** Whether `f` leads here. */
  shortcut?: boolean;
}

/** Text that is sent when the user stops typing. */
export function TextFilter(props: TextFilterProps) {
  const {
    value,
    placeholder,
    label = placeholder,
    icon = <IconSearch size={14} />,
    width,
    change,
    shortcut = false,
  } = props;
  const [typed, setTyped] = useState(value ?? "");
  const input = useRef<HTMLInputElement>(null);
  const later = useDebouncedCallback((text: string) => change(text.trim() || undefined), 200);
  // The back button and Clear change the value; text that is being typed stays.
  useEffect(() => {
    if (document.activeElement !== input.current) setTyped(value ?? "");
  }, [value]);
  const focus = { keys: "f", label: "Filter this list", group: "This list", run: () => input.current?.focus() };
  useShortcuts(shortcut ? [focus] : []);
  return (
    <TextInput
      ref={input}
      {...(width ? { w: width } : { className: classes.textInput })}
      aria-label={label}
      placeholder={placeholder}
      leftSection={icon}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
      onKeyDown={(event) => event.key === "Escape" && input.current?.blur()}
    />
  );
}
