import { Card, Text } from '@mantine/core';
import { ErrorState } from '../../../components/states.tsx';
import { exactTime } from '../../../components/time-format.ts';
import { Page } from '../../../components/page.tsx';
import { RouteLoading } from '../../../shell/route-states.tsx';
import { END_REASONS } from '../call-labels.ts';
import classes from './call.module.css';
import { useTombstone } from './use-call.ts';

const BACK = { to: '/calls', label: 'Calls' };

/** Shown for a call that was deleted or never existed. */
export function DeletedCall({ callId, error }: { callId: string; error: unknown }) {
  const { data: tombstone, isPending } = useTombstone(callId, true);
  if (isPending) return <RouteLoading />;
  if (!tombstone) {
    return (
      <Page title="Call" back={BACK}>
        <ErrorState error={error} />
      </Page>
    );
  }
  const { created, ended, endReason, deletionTime } = tombstone;
  return (
    <Page title="Deleted call" back={BACK} width="narrow">
      <Card>
        <Text mb="md" maw="65ch">
          The content of this call was deleted by a user or by its retention policy. These times remain, and
          the call still counts in usage and billing.
        </Text>
        <dl className={classes.settings}>
          <dt>Call id</dt>
          <dd className="mono">{callId}</dd>
          <dt>Created</dt>
          <dd>{exactTime(Date.parse(created))}</dd>
          {ended !== null && (
            <>
              <dt>Ended</dt>
              <dd>{exactTime(Date.parse(ended))}</dd>
            </>
          )}
          {endReason !== null && (
            <>
              <dt>End reason</dt>
              <dd>{END_REASONS[endReason].words}</dd>
            </>
          )}
          <dt>Deleted</dt>
          <dd>{exactTime(Date.parse(deletionTime))}</dd>
        </dl>
      </Card>
    </Page>
  );
}
