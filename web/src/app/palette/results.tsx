// The results of the palette, by section.
import { useLayoutEffect, useRef } from "react";
import { escapeBidi } from "@/domain/text/bidi";
import { compact } from "@/domain/text/format";
import { highlightParts } from "@/domain/text/highlight";
import { StateIcon } from "@/ui/data/state-pill";
import type { Item, Section } from "./items";
import classes from "./palette.module.css";

interface ResultsProps {
  id: string;
  sections: Section[];
  typed: string;
  at: number;
  choose: (item: Item) => void;
  isSettled: boolean;
}

export function Results({ id, sections, typed, at, choose, isSettled }: ResultsProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.querySelector(`#${CSS.escape(`${id}-${at}`)}`)?.scrollIntoView({ block: "nearest" });
  });
  let index = -1;
  return (
    <div ref={box} id={id} role="listbox" aria-label="Results" className={classes.results} data-settled={isSettled}>
      {sections.map((section) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox contains groups, not fieldsets
        <div key={section.label} role="group" aria-label={section.label}>
          <div className={classes.heading} aria-hidden>
            {section.label}
            {section.count > section.items.length && <span>{compact(section.count)}</span>}
          </div>
          {section.items.map((item) => {
            index += 1;
            return (
              <Option
                key={item.id}
                id={`${id}-${index}`}
                item={item}
                typed={typed}
                selected={index === at}
                choose={choose}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  id: string;
  item: Item;
  typed: string;
  selected: boolean;
  choose: (item: Item) => void;
}

function Option({ id, item, typed, selected, choose }: OptionProps) {
  const { icon: Icon, label, about, state } = item;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      className={classes.option}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => choose(item)}
    >
      <Icon size={16} stroke={1.6} className={classes.icon} />
      <span className={classes.label}>
        {highlightParts(escapeBidi(label), item.id === "search" ? "" : typed, "start").map(({ text, isMatch }, part) =>
          isMatch ? <mark key={part}>{text}</mark> : text,
        )}
      </span>
      {about && <span className={classes.about}>{escapeBidi(about)}</span>}
      {state && (
        <span className={classes.state} data-tone={state.tone}>
          <StateIcon icon={state.icon} /> {state.label}
        </span>
      )}
    </div>
  );
}
