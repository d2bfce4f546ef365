import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { List } from '../../api/use-list.ts';
import { apiDurationMs, durationText } from '../../components/time-format.ts';
import classes from './overview.module.css';

/** Four key figures of the account. */
export function AccountFigures({
  account,
  calls,
  agents,
}: {
  account: Schemas['Account'] | undefined;
  calls: List<unknown>;
  agents: List<unknown>;
}) {
  return (
    <dl className={classes.figures}>
      <Figure label="Live calls" of={account && ofAll(account.allowedConcurrentCalls)}>
        {account?.activeCalls}
      </Figure>
      <Figure label="Total calls">{calls.items && calls.total.toLocaleString()}</Figure>
      <Figure label="Agents">{agents.items && agents.total.toLocaleString()}</Figure>
      {account?.subscriptionTier ? (
        <Figure label="Plan">
          <span className={classes.plan}>{account.subscriptionTier.toLowerCase()}</span>
        </Figure>
      ) : (
        <Figure label="Free minutes left">
          {account && durationText(apiDurationMs(account.freeTimeRemaining))}
        </Figure>
      )}
    </dl>
  );
}

function Figure({ label, of, children }: { label: string; of?: string; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd>
        {children ?? <Skeleton height={22} my={4} width="3rem" />}{' '}
        {of && <span className={classes.of}>{of}</span>}
      </dd>
    </div>
  );
}

function ofAll(cap: number | null): string {
  return cap === null ? '' : `of ${cap.toLocaleString()}`;
}
