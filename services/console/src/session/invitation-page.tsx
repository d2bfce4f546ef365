import { Button, Card, Center, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { asProblem } from '../api/client.ts';
import { NewKey } from '../components/new-key.tsx';
import { useDocumentTitle } from '../components/page.tsx';
import { Logo } from '../shell/logo.tsx';
import { useAcceptInvitation } from './session.ts';

/**
 * Accepts the invitation with the token in the fragment of the URL. Waits for a click, because some programs open links
 * in advance.
 */
export function InvitationPage() {
  useDocumentTitle('Invitation');
  const navigate = useNavigate();
  const [token] = useState(() => window.location.hash.slice(1));
  const accept = useAcceptInvitation();
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={480} gap="lg">
        <Logo />
        <Card padding="xl">
          {accept.data ? (
            <Stack>
              <Title order={1} fz="xl">
                Your API key for {accept.data.session.account.name}
              </Title>
              <NewKey
                secret={accept.data.secret}
                doneLabel="Open the console"
                onDone={() => void navigate('/', { replace: true })}
              />
            </Stack>
          ) : (
            <Stack>
              <Title order={1} fz="xl">
                You are invited
              </Title>
              <Text c="dimmed" fz="sm">
                You get an API key and are signed in with it. The link works once.
              </Text>
              {accept.error && (
                <Text c="red" fz="sm" role="alert">
                  {reasonOf(accept.error)}
                </Text>
              )}
              <Button
                loading={accept.isPending}
                disabled={token === ''}
                onClick={() => accept.mutate(token)}
                fullWidth
              >
                Accept the invitation
              </Button>
            </Stack>
          )}
        </Card>
      </Stack>
    </Center>
  );
}

function reasonOf(error: unknown): string {
  const problem = asProblem(error);
  if (problem.status !== 404) return problem.message;
  return 'This link is no longer valid. Ask your administrator for a new one.';
}
