import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { MicIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useCallsRefreshMs } from '../../api/use-call-changes.ts';
import { useList } from '../../api/use-list.ts';
import { ErrorState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { stateOf } from '../calls/call-labels.ts';
import { AccountFigures } from './account-figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LatestCalls } from './latest-calls.tsx';
import { LiveCalls } from './live-calls.tsx';
import classes from './overview.module.css';
import { QuickTalk } from './quick-talk.tsx';

/** Number of newest calls to load. They include the live ones, because a call takes at most an hour by default. */
const NEWEST = 50;
const SHOWN_ENDED = 8;

export function Component() {
  const refreshMs = useCallsRefreshMs();
  const account = useQuery({
    queryKey: ['account'],
    queryFn: () => dataOf(api.GET('/api/accounts/me')),
    refetchInterval: refreshMs,
  });
  const calls = useList(
    ['calls', 'newest'],
    (cursor) =>
      dataOf(api.GET('/api/calls/summaries', { params: { query: { ...cursor, pageSize: NEWEST } } })),
    { refreshMs },
  );
  const agents = useList(
    ['agents', ''],
    (cursor) => dataOf(api.GET('/api/agents', { params: { query: { ...cursor, pageSize: 50 } } })),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const error = account.error ?? calls.error ?? agents.error;
  const retry = (): void => {
    void account.refetch();
    calls.retry();
    agents.retry();
  };
  return (
    <Page
      title="Overview"
      actions={
        <Button component={Link} to="/talk" leftSection={<MicIcon size={16} />}>
          Talk to an agent
        </Button>
      }
    >
      <Stack gap="lg">
        {error !== null && <ErrorState error={error} onRetry={retry} />}
        <AccountFigures account={account.data} calls={calls} agents={agents} />
        {calls.items && agents.items ? (
          <CallsAndAgents calls={calls.items} agents={agents.items} />
        ) : (
          error === null && <Skeleton height={280} radius="lg" />
        )}
      </Stack>
    </Page>
  );
}

/** Renders both lists when both have loaded, so that the layout does not shift. */
function CallsAndAgents(props: {
  calls: readonly Schemas['CallSummary'][];
  agents: readonly Schemas['Agent'][];
}) {
  const { calls, agents } = props;
  if (calls.length === 0 && agents.length === 0) return <FirstSteps />;
  const live = calls.filter((call) => stateOf(call) !== 'ended');
  const ended = calls.filter((call) => stateOf(call) === 'ended');
  return (
    <div className={classes.columns}>
      <Stack gap="lg" miw={0}>
        <LiveCalls calls={live} />
        <LatestCalls calls={ended.slice(0, SHOWN_ENDED)} />
      </Stack>
      <QuickTalk agents={agents} />
    </div>
  );
}
