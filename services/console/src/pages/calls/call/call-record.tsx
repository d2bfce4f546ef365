import { Card, Group, Loader, Skeleton, Stack, Tabs, Text, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { EmptyState, ErrorState } from '../../../components/states.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useTab } from '../../../components/use-tab.ts';
import { CallPlayer, isReplayable } from './call-player.tsx';
import classes from './call.module.css';
import { EventsPanel } from './events-panel.tsx';
import { LatencyPanel } from './latency/latency-panel.tsx';
import { latencyRows } from './latency/latency-rows.ts';
import { Playback } from './recording/playback.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { isStageBegin } from './stages.ts';
import { Transcript } from './transcript/transcript.tsx';
import { transcriptEntries } from './transcript/transcript-entries.ts';
import { useCallRecord } from './use-call.ts';

const Stages = lazy(async () => ({ default: (await import('./stages-panel.tsx')).StagesPanel }));

/** The timeline, transcript, latency, events and stages of a call. */
export function CallRecord({ call }: { call: Schemas['Call'] }) {
  const [playback] = useState(() => new Playback());
  const record = useCallRecord(call);
  const { items: messages } = record.messages;
  const { items: events } = record.events;
  const entries = useMemo(() => transcriptEntries(messages ?? [], events ?? []), [messages, events]);
  const latencies = useMemo(() => latencyRows(events ?? [], entries), [events, entries]);
  const error = record.messages.error ?? record.events.error;
  const retry = (): void => {
    record.messages.retry();
    record.events.retry();
  };
  const waiting = error === null && <LoadingLines />;
  const hasStages = (events ?? []).some(isStageBegin);
  const stages = hasStages ? ['stages'] : [];
  const [tab, selectTab] = useTab(['transcript', 'latency', 'events', ...stages, 'settings']);
  return (
    <>
      {call.joined !== null && <CallPlayer call={call} entries={entries} playback={playback} />}
      <Tabs value={tab} onChange={selectTab} keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs}>
          <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
          <Tabs.Tab value="latency">Latency</Tabs.Tab>
          <Tabs.Tab value="events" rightSection={<IssueCount events={events ?? []} />}>
            Events
          </Tabs.Tab>
          {hasStages && <Tabs.Tab value="stages">Stages</Tabs.Tab>}
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        {error !== null && tab !== 'settings' && <ErrorState error={error} onRetry={retry} />}
        {(record.messages.isLoadingMore || record.events.isLoadingMore) && tab !== 'settings' && (
          <Group gap={6} mb="sm" role="status">
            <Loader size={14} />
            <Text fz="sm" c="dimmed">
              Loading the rest of this call
            </Text>
          </Group>
        )}
        <Tabs.Panel value="transcript">
          <Card padding="sm">
            {messages === undefined ? (
              waiting
            ) : entries.length === 0 ? (
              <EmptyState title={call.ended === null ? 'Nothing was said yet' : 'Nothing was said'} />
            ) : (
              <Transcript
                entries={entries}
                playback={playback}
                seeks={isReplayable(call)}
                isGrowing={call.ended === null}
              />
            )}
          </Card>
        </Tabs.Panel>
        <Tabs.Panel value="latency">
          {events === undefined ? waiting : <LatencyPanel rows={latencies} />}
        </Tabs.Panel>
        <Tabs.Panel value="events">
          {events === undefined ? waiting : <EventsPanel events={events} isLive={call.ended === null} />}
        </Tabs.Panel>
        <Tabs.Panel value="stages">
          <Suspense fallback={<LoadingLines />}>
            <Stages call={call} events={events ?? []} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsPanel call={call} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function IssueCount({ events }: { events: readonly Schemas['CallEvent'][] }) {
  const issues = events.filter(({ severity }) => severity === 'warning' || severity === 'error');
  const [first] = issues;
  if (!first) return null;
  const tone = issues.some(({ severity }) => severity === 'error') ? 'bad' : 'warning';
  return (
    <StatusBadge tone={tone}>
      {issues.length}
      <VisuallyHidden> {issues.length === 1 ? first.severity : 'warnings and errors'}</VisuallyHidden>
    </StatusBadge>
  );
}

function LoadingLines() {
  return (
    <Stack gap="sm" p="sm" aria-busy="true" aria-label="Loading">
      {Array.from({ length: 5 }, (_, line) => (
        <Skeleton key={line} height={14} width={`${[62, 40, 75, 30, 55][line] ?? 50}%`} />
      ))}
    </Stack>
  );
}
