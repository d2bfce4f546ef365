import { Card, Group, Loader, Text } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { ErrorState } from '../../../components/states.tsx';
import { useNow } from '../../../components/time.tsx';
import { callDurationMs } from '../call-labels.ts';
import classes from './call.module.css';
import type { Playback } from './recording/playback.ts';
import { PlayerBar } from './recording/player-bar.tsx';
import { usePeaks, type PeaksState } from './recording/use-peaks.ts';
import { Timeline } from './timeline/timeline.tsx';
import { lastMs, timelineMarks } from './timeline/timeline-marks.ts';
import type { TranscriptEntry } from './transcript/transcript-entries.ts';

/** The timeline of a call, with its replay if the call was recorded. Only for calls that a client joined. */
export function CallPlayer(props: {
  call: Schemas['Call'];
  entries: readonly TranscriptEntry[];
  playback: Playback;
}) {
  const { call, entries, playback } = props;
  const sound = usePeaks(isReplayable(call) ? call.callId : null);
  const runningMs = useRunningMs(call);
  const soundMs = sound.kind === 'loaded' ? sound.durationMs : 0;
  const durationMs = Math.max(soundMs, callDurationMs(call) ?? runningMs, lastMs(entries));
  const marks = useMemo(() => timelineMarks(entries, durationMs), [entries, durationMs]);
  useEffect(() => {
    playback.setDuration(durationMs);
  }, [playback, durationMs]);
  return (
    <Card padding="md" className={classes.player}>
      {sound.kind === 'failed' && <ErrorState error={sound.error} onRetry={sound.retry} />}
      <Timeline
        durationMs={durationMs}
        marks={marks}
        sound={sound}
        playback={playback}
        controls={
          sound.kind === 'loaded' ? (
            <>
              <PlayerBar callId={call.callId} playback={playback} durationMs={durationMs} />
              {sound.filled < sound.peaks.user.length && (
                <Reading percent={Math.floor((100 * sound.filled) / sound.peaks.user.length)} />
              )}
            </>
          ) : sound.kind === 'loading' ? (
            <Reading percent={0} />
          ) : (
            <Text fz="sm" c="dimmed">
              {soundText(call, sound)}
            </Text>
          )
        }
      />
    </Card>
  );
}

export function isReplayable({ ended, joined, recordingEnabled, retentionPolicy }: Schemas['Call']): boolean {
  return recordingEnabled && joined !== null && ended !== null && retentionPolicy !== 'zdr';
}

/** Shows the progress of loading, during which the waveform grows. Playback can start before the end. */
function Reading({ percent }: { percent: number }) {
  return (
    <Group gap={6} role="status" aria-label="Loading the recording">
      <Loader size={14} />
      <Text fz="sm" c="dimmed" className="numbers" aria-hidden="true">
        Loading the recording{percent > 0 && `: ${percent} %`}
      </Text>
    </Group>
  );
}

/** Explains why there is no audio, or not yet. */
function soundText(call: Schemas['Call'], sound: PeaksState): string {
  if (call.retentionPolicy === 'zdr') return 'There is no recording of this call.';
  if (!call.recordingEnabled) return 'This call is not recorded.';
  if (call.ended === null) return 'The recording is available when the call has ended.';
  return sound.kind === 'none' ? 'There is no recording of this call.' : '';
}

/** Elapsed time of a live call. */
function useRunningMs({ joined, ended }: Schemas['Call']): number {
  const isLive = joined !== null && ended === null;
  const nowMs = useNow(isLive ? 1000 : null);
  return isLive ? Math.max(0, nowMs - Date.parse(joined)) : 0;
}
