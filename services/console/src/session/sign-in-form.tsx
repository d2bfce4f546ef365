import { Button, PasswordInput, Stack } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { asProblem } from '../api/client.ts';
import type { useSignIn } from './session.ts';

/** Asks for an API key. */
export function SignInForm({
  signIn,
}: {
  signIn: Pick<ReturnType<typeof useSignIn>, 'mutate' | 'error' | 'isPending'>;
}) {
  const [apiKey, setApiKey] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (apiKey.trim() !== '') signIn.mutate(apiKey.trim());
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <PasswordInput
          label="API key"
          placeholder="xxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxx"
          value={apiKey}
          onChange={(event) => setApiKey(event.currentTarget.value)}
          error={signIn.error && reasonOf(signIn.error)}
          autoComplete="current-password"
          spellCheck={false}
          styles={{ innerInput: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          data-autofocus
          autoFocus
        />
        <Button type="submit" loading={signIn.isPending} disabled={apiKey.trim() === ''} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function reasonOf(error: unknown): string {
  const problem = asProblem(error);
  if (problem.status === 401) return 'This key is not valid. It may have been revoked or have expired.';
  if (problem.status === 429) {
    const seconds = Math.ceil((problem.retryAfterMs ?? 60_000) / 1000);
    return `Too many invalid keys were sent from this address. Try again in ${seconds} s.`;
  }
  return problem.message;
}
