import { Container } from '@mantine/core';
import { ErrorState } from '../components/states.tsx';
import { RouteLoading } from '../shell/route-states.tsx';
import { Shell } from '../shell/shell.tsx';
import { useSession } from './session.ts';
import { SignInPage } from './sign-in-page.tsx';

/** Shows the sign-in page on every path until the user signs in, then the requested page. */
export function SignedIn() {
  const { data: session, error, refetch } = useSession();
  if (session) return <Shell session={session} />;
  if (session === null) return <SignInPage />;
  if (!error) return <RouteLoading />;
  return (
    <Container size="xs" py="xl">
      <ErrorState error={error} onRetry={() => void refetch()} />
    </Container>
  );
}
