// Sign-in by the link that `li studio` prints, or by the token.
import { Button, Code, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { SignInState } from "@/api/sign-in/auth";
import { signInByToken } from "@/api/sign-in/sign-in";
import { runAction } from "@/ui/feedback/run-action";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./sign-in.module.css";

type Reason = Exclude<SignInState, "signed-in">;

const TITLES: Record<Reason, string> = {
  "not-signed-in": "This browser is not signed in",
  ended: "Your session has ended",
  "link-expired": "This sign-in link is no longer valid",
};

const DESCRIPTIONS: Record<Reason, string> = {
  "not-signed-in": "Open the link that Studio printed when it started, or get a new one:",
  ended: "You were signed out, or did not use Studio for a week. Nothing is lost. Sign in again:",
  "link-expired": "A link works once, for less than a minute. Get a new one:",
};

const DEFAULT_PORT = "8721";

function signInCommand(): string {
  const { port } = window.location;
  return port === DEFAULT_PORT ? "li studio --sign-in" : `li studio --sign-in --port ${port}`;
}

export default function SignIn({ reason }: { reason: Reason }) {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1 className={classes.title}>{TITLES[reason]}</h1>
        <p className={classes.description}>{DESCRIPTIONS[reason]}</p>
        <div className={classes.command}>
          <Code>{signInCommand()}</Code>
          <CopyButton text={signInCommand()} label="Copy command" />
        </div>
        <TokenForm />
      </div>
    </main>
  );
}

function TokenForm() {
  const [token, setToken] = useState("");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await runAction(async () => {
      await signInByToken(token.trim());
      return "Signed in";
    });
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <PasswordInput
        size="sm"
        label="Or paste the token"
        description="In the file studio.token beside the database, in the home of Lion Studio."
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        autoComplete="off"
      />
      <Button type="submit" size="sm" disabled={token.trim() === ""}>
        Sign in
      </Button>
    </form>
  );
}
