// The way in: this browser has no cookie, or an old one. The terminal has a link; the token works too.
import { Button, Code, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { post } from "@/api/client";
import { runAction } from "@/ui/feedback/confirm";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./sign-in.module.css";

export function SignIn() {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1 className={classes.title}>This browser is not signed in</h1>
        <p className={classes.description}>
          Studio shows your runs only to you. Start it again and follow the link that it prints, or let it
          open the browser itself:
        </p>
        <div className={classes.command}>
          <Code>li studio --open</Code>
          <CopyButton text="li studio --open" label="Copy the command" />
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
    const signIn = async (): Promise<string> => {
      await post("/api/login", { headers: { Authorization: `Bearer ${token.trim()}` } });
      // Everything that was refused before is asked for again.
      location.reload();
      return "Signed in.";
    };
    await runAction(signIn);
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <PasswordInput
        size="sm"
        label="Or paste the token"
        description="It is in the file studio.token in Lion Studio's home; li state path tells where that is."
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
