import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { DownloadIcon, PauseIcon, PlayIcon } from 'lucide-react';
import { clockText } from '../timeline/timeline-scale.ts';
import { usePlayback, type Playback } from './playback.ts';
import { readWhole, recordingUrl } from './read-recording.ts';

const RATES: readonly number[] = [1, 1.5, 2];

/** Player controls: play button, time, speed and download. */
export function PlayerBar(props: { callId: string; playback: Playback; durationMs: number }) {
  const { callId, playback, durationMs } = props;
  const { src, onError } = useSource(callId);
  const audioRef = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    if (audioRef.current) return playback.attach(audioRef.current);
    return undefined;
  }, [playback]);
  useSpaceKey(playback);
  const isPlaying = usePlayback(playback, (at) => at.isPlaying);
  const rate = usePlayback(playback, (at) => at.rate);
  const seconds = usePlayback(playback, (at) => Math.floor(at.positionMs / 1000));
  return (
    <>
      <audio ref={audioRef} src={src} preload="metadata" onError={onError} />
      <Tooltip label={isPlaying ? 'Pause (space)' : 'Play (space)'}>
        <ActionIcon
          variant="filled"
          color="pine"
          size={36}
          radius="xl"
          aria-label={isPlaying ? 'Pause' : 'Play'}
          onClick={() => playback.toggle()}
        >
          {isPlaying ? <PauseIcon size={18} /> : <PlayIcon size={18} />}
        </ActionIcon>
      </Tooltip>
      <Text className="numbers" fz="sm" miw="5.6em">
        {clockText(seconds * 1000)}{' '}
        <Text span c="dimmed" inherit>
          / {clockText(durationMs)}
        </Text>
      </Text>
      <Tooltip label="Speed">
        <Button
          size="xs"
          variant="default"
          px={8}
          miw="3.2em"
          aria-label={`Speed: ${rate} times`}
          onClick={() => playback.setRate(RATES[(RATES.indexOf(rate) + 1) % RATES.length] ?? 1)}
        >
          {rate}×
        </Button>
      </Tooltip>
      <Tooltip label="Download the recording">
        <ActionIcon
          component="a"
          href={src}
          download={`${callId}.wav`}
          size="md"
          aria-label="Download the recording"
        >
          <DownloadIcon size={16} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

/**
 * The source of the recording: its URL, loaded in ranges as needed. Or, if the browser's player cannot authenticate
 * with the session cookie (without https it does not mark requests as same-origin), the whole file, loaded in advance.
 */
function useSource(callId: string): { src: string; onError: () => void } {
  const [fetched, setFetched] = useState<{ callId: string; src: string } | null>(null);
  const fetchedSrc = fetched?.callId === callId ? fetched.src : null;
  useEffect(() => {
    if (fetched !== null) return () => URL.revokeObjectURL(fetched.src);
    return undefined;
  }, [fetched]);
  const onError = (): void => {
    if (fetchedSrc !== null) return;
    // The waveform shows an error if the recording cannot be read.
    readWhole(callId).then(
      (blob) => setFetched({ callId, src: URL.createObjectURL(blob) }),
      () => undefined,
    );
  };
  return { src: fetchedSrc ?? recordingUrl(callId), onError };
}

const HANDLES_SPACE_KEY =
  'button, a, input, textarea, select, summary, pre, [role="slider"], [role="tab"], [role="dialog"], label';

/** The space key toggles playback unless the focused element uses it. */
function useSpaceKey(playback: Playback): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== ' ' || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(HANDLES_SPACE_KEY)) return;
      event.preventDefault();
      playback.toggle();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [playback]);
}
