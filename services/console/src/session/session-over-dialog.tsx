import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useSignInAgain, useSignOut, type Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Covers the open page when the session ends, so that the user's input is not lost. */
export function SessionOverDialog({ session }: { session: Session }) {
  const signOut = useSignOut();
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={<Text fw={600}>Your session has ended</Text>}
      size="sm"
    >
      <Stack>
        <Text c="dimmed" fz="sm">
          Sign in to {session.account.name || 'your account'} again to continue on this page. What you have
          entered remains.
        </Text>
        <SignInForm signIn={useSignInAgain(session)} />
        <Anchor component="button" type="button" fz="sm" onClick={() => signOut.mutate()}>
          Leave the page and sign out
        </Anchor>
      </Stack>
    </Modal>
  );
}
