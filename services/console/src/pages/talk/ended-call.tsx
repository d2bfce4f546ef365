import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { TriangleAlertIcon, MicIcon, PhoneIcon } from 'lucide-react';
import { Page } from '../../components/page.tsx';
import { Section } from '../../components/layout.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { durationText } from '../../components/time-format.ts';
import { END_REASONS } from '../calls/call-labels.ts';
import { medianOf } from './conversation.ts';
import classes from './ended-call.module.css';
import type { CallView } from './call-desk.tsx';
import { turnText, type TalkState } from './talk-state.ts';
import { Transcript } from './transcript.tsx';

/** How the call ended, with links to its details. */
export function EndedCall({ call, state, partnerName, onAgain }: CallView & { onAgain: () => void }) {
  return (
    <Page title={`Talked to ${partnerName}`} heading={partnerName} width="narrow">
      <Stack gap="lg">
        <EndedSummary state={state} onAgain={onAgain}>
          <Button variant="default" onClick={() => call.reset()}>
            Talk to another
          </Button>
        </EndedSummary>
        {state.transcripts.length > 0 && (
          <div className={classes.transcript}>
            <Transcript state={state} partnerName={partnerName} />
          </div>
        )}
      </Stack>
    </Page>
  );
}

/** Figures of the ended call, the reason of an early end, and the next steps. `children`: additional buttons. */
export function EndedSummary(props: { state: TalkState; onAgain: () => void; children: ReactNode }) {
  const { state, onAgain, children } = props;
  const { joinedAtMs, endedAtMs, turns, transcripts, callId, problem } = state;
  const median = medianOf(turns.map(({ tookMs }) => tookMs));
  const facts: readonly (readonly [string, string])[] = [
    ['Duration', joinedAtMs !== null && endedAtMs !== null ? durationText(endedAtMs - joinedAtMs) : '–'],
    ['Responses', String(transcripts.filter(({ role }) => role === 'agent').length)],
    // Calls by text have no latency, because it is measured from speech.
    ...(median === null ? [] : [['Median latency', turnText(median)] as const]),
  ];
  return (
    <>
      {problem && (
        <Alert color="red" icon={<TriangleAlertIcon />} title={problem.title} role="alert">
          {problem.detail}
        </Alert>
      )}
      <Section title="The call is over" actions={<EndBadge state={state} />}>
        <dl className={classes.facts}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Group gap="sm" mt="lg">
          <Button leftSection={<MicIcon />} onClick={onAgain} data-autofocus>
            Call again
          </Button>
          {callId !== null && (
            <Button variant="default" component={Link} to={`/calls/${callId}`} leftSection={<PhoneIcon />}>
              Open the call
            </Button>
          )}
          {children}
        </Group>
      </Section>
    </>
  );
}

function EndBadge({ state: { end } }: { state: TalkState }) {
  const reason = end?.reason ?? '';
  const known = isEndReason(reason) ? END_REASONS[reason] : null;
  return <StatusBadge tone={known?.tone ?? 'bad'}>{known?.words ?? 'Connection lost'}</StatusBadge>;
}

function isEndReason(reason: string): reason is keyof typeof END_REASONS {
  return reason in END_REASONS;
}
