// A router link in the look of the page, and one that is a whole row.
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

/** A plain link: `<TextLink to="/runs">`. */
export const TextLink = createLink((props: ComponentProps<"a">) => <a {...props} />);
