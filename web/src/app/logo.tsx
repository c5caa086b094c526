import { TextLink } from "@/ui/link";
import classes from "./sidebar.module.css";

export function Logo() {
  return (
    <TextLink to="/" className={classes.logo} aria-label="Lion Studio, home">
      <img src="/favicon.svg" alt="" width={22} height={22} />
      <span>Lion Studio</span>
    </TextLink>
  );
}
