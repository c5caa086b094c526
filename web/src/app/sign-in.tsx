// Sign-in by the link that `li studio` prints, or by the token.
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
          Open the link that Studio printed when it started, or let Studio open the browser:
        </p>
        <div className={classes.command}>
          <Code>li studio --open</Code>
          <CopyButton text="li studio --open" label="Copy command" />
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
      // Repeats every request that was rejected.
      location.reload();
      return "Signed in";
    };
    await runAction(signIn);
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <PasswordInput
        size="sm"
        label="Or paste the token"
        description="In the file studio.token in the Lion Studio home; `li state path` prints its location."
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
