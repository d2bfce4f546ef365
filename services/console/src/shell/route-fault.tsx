import { useRouteError } from 'react-router';
import { asProblem } from '../api/client.ts';
import { ErrorState } from '../components/error-state.tsx';
import { Page } from '../components/page.tsx';

/** A page that threw, or whose script couldn't be fetched (after a new release, say: loading anew helps). */
export function RouteFault() {
  const error = useRouteError();
  return (
    <Page title="Something went wrong">
      <ErrorState error={asProblem(error)} retryLabel="Load again" onRetry={() => location.reload()} />
    </Page>
  );
}
