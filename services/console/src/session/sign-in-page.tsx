import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { asProblem } from '../api/client.ts';
import { useDocumentTitle } from '../components/page.tsx';
import { Logo } from '../shell/logo.tsx';
import { useSignIn } from './session.ts';

export function SignInPage() {
  useDocumentTitle('Sign in');
  const [apiKey, setApiKey] = useState('');
  const signIn = useSignIn();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (apiKey.trim() !== '') signIn.mutate(apiKey.trim());
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Logo />
        <Card padding="xl">
          <form onSubmit={submit} noValidate>
            <Stack>
              <div>
                <Title order={1} fz="xl">
                  Sign in
                </Title>
                <Text c="dimmed" fz="sm" mt={4}>
                  With an API key of your account.
                </Text>
              </div>
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
        </Card>
        <Text c="dimmed" fz="sm">
          On your own machine, <Code>npm start</Code> stores a development key in{' '}
          <Code>.data/dev-api-key</Code>. Read more in the{' '}
          <Anchor href="/docs/" inherit underline="always">
            documentation
          </Anchor>
          .
        </Text>
      </Stack>
    </Center>
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
