import { Anchor, Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../../../api/client.ts';
import { Copyable } from '../../../components/copyable.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { durationText } from '../../../components/time-format.ts';
import { CallLength } from '../call-cells.tsx';
import { billingText, durationMsOrNull, mediumText } from '../call-labels.ts';
import { phoneNumbers } from '../phone-numbers.ts';
import classes from './call.module.css';

const ANSWERED_BY: Readonly<Record<NonNullable<Schemas['Call']['answeredBy']>, string>> = {
  human: 'A person',
  machine: 'An answering machine',
  ivr: 'A phone menu',
  screening: 'A screening assistant',
  unknown: 'Unknown',
};

/** Times, duration, medium and costs. */
export function CallFacts({ call }: { call: Schemas['Call'] }) {
  const { agent, sipDetails } = call;
  const { called, caller } = phoneNumbers(call);
  const billedMs = durationMsOrNull(call.billedDuration);
  const sipMs = durationMsOrNull(sipDetails?.billedDuration);
  const tokens = [call.billedSideInputTokens, call.billedSideOutputTokens];
  return (
    <Card>
      <dl className={classes.facts}>
        <Fact name="Created">
          <RelativeTime at={call.created} />
        </Fact>
        {call.joined !== null && (
          <Fact name="Joined">
            <RelativeTime at={call.joined} />
          </Fact>
        )}
        <Fact name="Duration">
          <CallLength call={call} />
        </Fact>
        {agent && (
          <Fact name="Agent">
            <Anchor component={Link} to={`/agents/${agent.agentId}`} className="link" inherit>
              {agent.name || 'Unnamed agent'}
            </Anchor>
          </Fact>
        )}
        {call.agentId !== null && call.agentRevisionId !== null && (
          <Fact name="Agent’s version">
            <Anchor
              component={Link}
              to={`/agents/${call.agentId}?tab=versions&version=${call.agentRevisionId}`}
              className="link mono"
              inherit
            >
              …{call.agentRevisionId.slice(-8)}
            </Anchor>
          </Fact>
        )}
        {call.answeredBy !== null && <Fact name="Answered by">{ANSWERED_BY[call.answeredBy]}</Fact>}
        <Fact name="Medium">{mediumText(call)}</Fact>
        {called !== null && <Fact name="Called number">{called}</Fact>}
        {caller !== null && <Fact name="Caller number">{caller}</Fact>}
        <Fact name="Billing">{billingText(call)}</Fact>
        {billedMs !== null && billedMs > 0 && <Fact name="Billed time">{durationText(billedMs)}</Fact>}
        {sipMs !== null && <Fact name="Billed SIP time">{durationText(sipMs)}</Fact>}
        {sipDetails?.terminationReason != null && (
          <>
            <Fact name="SIP ended">{wordsOf(sipDetails.terminationReason)}</Fact>
            {call.retentionPolicy !== 'zdr' && (
              <Fact name="SIP messages">
                <Anchor href={`/api/calls/${call.callId}/sip_logs`} className="link" inherit>
                  Download
                </Anchor>
              </Fact>
            )}
          </>
        )}
        {tokens.some((count) => (count ?? 0) > 0) && (
          <Fact name="Model tokens">
            {tokens[0] ?? 0} in, {tokens[1] ?? 0} out
          </Fact>
        )}
        <Fact name="Call id">
          <Copyable text={call.callId} short what="call id" />
        </Fact>
      </dl>
      {call.summary !== null && (
        <Text mt="md" className={classes.summary}>
          {call.summary}
        </Text>
      )}
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function wordsOf(reason: string): string {
  return reason.replace('SIP_TERMINATION_', '').replaceAll('_', ' ').toLowerCase();
}
