import { Anchor, Card, Center, Code, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '../components/page.tsx';
import { Logo } from '../shell/logo.tsx';
import { useSignIn } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  useDocumentTitle('Sign in');
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Logo />
        <Card padding="xl">
          <Stack>
            <div>
              <Title order={1} fz="xl">
                Sign in
              </Title>
              <Text c="dimmed" fz="sm" mt={4}>
                With an API key of your account.
              </Text>
            </div>
            <SignInForm signIn={useSignIn()} />
          </Stack>
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
