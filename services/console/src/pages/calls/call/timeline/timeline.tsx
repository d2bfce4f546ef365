import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { MinusIcon, PlusIcon } from 'lucide-react';
import { usePlayback, type Playback } from '../recording/playback.ts';
import type { PeaksState } from '../recording/use-peaks.ts';
import { groupPoints, type Point, type TimelineMarks } from './timeline-marks.ts';
import {
  clockText,
  contentPx,
  maxZoom,
  msToPx,
  pxToMs,
  scrollToShow,
  ticks,
  zoomBy,
  type Scale,
} from './timeline-scale.ts';
import { timelineKey, ZOOM_STEP } from './timeline-keys.ts';
import classes from './timeline.module.css';
import { WaveformCanvas } from './waveform-canvas.tsx';

const WHEEL_ZOOM = 1.15;
/** Narrower labels are hidden. */
const MIN_LABEL_PX = 48;
/** Points of a kind that are closer together are one mark. */
const MIN_POINT_PX = 16;
/** The title of a mark lists at most this number of labels. */
const MAX_TITLE_LABELS = 5;

export interface TimelineProps {
  durationMs: number;
  marks: TimelineMarks;
  sound: PeaksState;
  playback: Playback;
  /** Controls above the timeline, beside the zoom. */
  controls: ReactNode;
}

/** The timeline of a call: speech, tools and events, with the playback position. */
export function Timeline({ durationMs, marks, sound, playback, controls }: TimelineProps) {
  const { ref: sizeRef, width: viewPx } = useElementSize();
  const viewRef = useRef<HTMLDivElement>(null);
  const [{ zoom, scrollPx }, setPart] = useState({ zoom: 1, scrollPx: 0 });
  const scale: Scale = { durationMs, viewPx, zoom };

  const withinMs = pxToMs(scale, MIN_POINT_PX);
  const points = useMemo(() => groupPoints(marks.points, withinMs), [marks.points, withinMs]);

  const zoomTo = (factor: number, anchorPx = viewPx / 2): void => {
    setPart(zoomBy(scale, factor, { scrollPx, anchorPx }));
  };
  // Tracks scrolling by the user, and by zoom and playback.
  useEffect(() => {
    const view = viewRef.current;
    if (view && Math.abs(view.scrollLeft - scrollPx) > 1) view.scrollLeft = scrollPx;
  }, [scrollPx, zoom]);
  useFollowing(playback, (ms) => {
    const shown = scrollToShow(scale, scrollPx, ms);
    if (shown !== scrollPx) setPart({ zoom, scrollPx: shown });
  });
  useWheelZoom(viewRef, (factor, anchorPx) => zoomTo(factor, anchorPx));

  const seekTo = (event: MouseEvent<HTMLElement>): void => {
    playback.seek(pxToMs(scale, event.clientX - event.currentTarget.getBoundingClientRect().left));
  };
  const percent = (ms: number): string => `${(durationMs === 0 ? 0 : ms / durationMs) * 100}%`;
  const stretch = (startMs: number, endMs: number) => ({
    insetInlineStart: percent(startMs),
    width: percent(Math.max(0, endMs - startMs)),
  });
  const isSilent = sound.kind !== 'loaded' && sound.kind !== 'loading';
  return (
    <div>
      <Group gap="xs" mb="xs">
        {controls}
        <Zoom zoom={zoom} maximum={maxZoom(scale)} onZoom={zoomTo} />
      </Group>
      <div className={classes.frame} data-silent={isSilent}>
        <div className={classes.labels} aria-hidden="true">
          <span />
          <span data-speaker="user">User</span>
          <span data-speaker="agent">Agent</span>
          <span>Events</span>
        </div>
        <div className={classes.port} ref={sizeRef}>
          {sound.kind === 'loading' && <div className={classes.loading} aria-hidden="true" />}
          {sound.kind === 'loaded' && (
            <WaveformCanvas peaks={sound.peaks} filled={sound.filled} scale={scale} scrollPx={scrollPx} />
          )}
          <div
            ref={viewRef}
            className={classes.view}
            onScroll={(event) => setPart({ zoom, scrollPx: event.currentTarget.scrollLeft })}
          >
            <div
              className={classes.content}
              style={{ width: contentPx(scale) }}
              onClick={seekTo}
              onPointerDown={(event) => {
                // Only the mouse drags the position; touch scrolls.
                if (event.button !== 0 || event.pointerType === 'touch') return;
                event.currentTarget.setPointerCapture(event.pointerId);
                seekTo(event);
              }}
              onPointerMove={(event) => {
                if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
              }}
            >
              <div className={classes.axis} aria-hidden="true">
                {ticks(scale, scrollPx).map((ms) => (
                  <span key={ms} className={classes.tick} style={{ insetInlineStart: percent(ms) }}>
                    {clockText(ms, !Number.isInteger(ms / 1000))}
                  </span>
                ))}
              </div>
              {(['user', 'agent'] as const).map((speaker) => (
                <div key={speaker} className={classes.lane} aria-hidden="true">
                  {marks.spans
                    .filter((span) => span.speaker === speaker)
                    .map(({ key, startMs, endMs }) => (
                      <span
                        key={key}
                        className={classes.span}
                        data-speaker={speaker}
                        style={stretch(startMs, endMs)}
                      />
                    ))}
                </div>
              ))}
              <div className={classes.lane} aria-hidden="true">
                {marks.tools.map(({ key, startMs, endMs, isFailed, label }) => (
                  <span
                    key={key}
                    className={classes.tool}
                    data-failed={isFailed}
                    style={stretch(startMs, endMs)}
                    title={label}
                  >
                    {msToPx(scale, endMs - startMs) >= MIN_LABEL_PX && label}
                  </span>
                ))}
              </div>
              {points.map((group) => (
                <span
                  key={group[0].key}
                  className={classes.point}
                  data-kind={group[0].kind}
                  data-grouped={group.length > 1}
                  style={{ insetInlineStart: percent(group[0].atMs) }}
                  title={titleOf(group)}
                  aria-hidden="true"
                />
              ))}
              <Position playback={playback} durationMs={durationMs} onZoom={zoomTo} hasAudio={!isSilent} />
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}

function titleOf(group: readonly Point[]): string {
  const lines = group.slice(0, MAX_TITLE_LABELS).map(({ atMs, label }) => `${clockText(atMs)} ${label}`);
  const hidden = group.length - lines.length;
  return (hidden > 0 ? [...lines, `and ${hidden} more`] : lines).join('\n');
}

/** The playback position as a line that handles the keys. */
function Position(props: {
  playback: Playback;
  durationMs: number;
  onZoom: (factor: number) => void;
  /** Whether there is audio to play. */
  hasAudio: boolean;
}) {
  const { playback, durationMs, onZoom, hasAudio } = props;
  const positionMs = usePlayback(playback, (at) => at.positionMs);
  return (
    <>
      <div
        className={classes.slider}
        role="slider"
        tabIndex={0}
        aria-label="Position in the call"
        aria-valuemin={0}
        aria-valuemax={Math.round(durationMs / 1000)}
        aria-valuenow={Math.round(positionMs / 1000)}
        aria-valuetext={`${clockText(positionMs)} of ${clockText(durationMs)}`}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const action = timelineKey(event.key, event.shiftKey);
          if (action === null) return;
          event.preventDefault();
          if (action.do === 'toggle') playback.toggle();
          else if (action.do === 'move') playback.seek(playback.positionMs + action.byMs);
          else if (action.do === 'go') playback.seek(action.to === 'start' ? 0 : durationMs);
          else onZoom(action.factor);
        }}
      />
      {(hasAudio || positionMs > 0) && (
        <span
          className={classes.playhead}
          style={{ insetInlineStart: `${durationMs === 0 ? 0 : (positionMs / durationMs) * 100}%` }}
        />
      )}
    </>
  );
}

function Zoom(props: { zoom: number; maximum: number; onZoom: (factor: number) => void }) {
  const { zoom, maximum, onZoom } = props;
  return (
    <Group gap={2} ml="auto">
      <Tooltip label="Zoom out">
        <ActionIcon
          aria-label="Zoom out"
          onClick={() => onZoom(1 / ZOOM_STEP)}
          disabled={zoom <= 1}
          size="md"
        >
          <MinusIcon size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Zoom in">
        <ActionIcon
          aria-label="Zoom in"
          onClick={() => onZoom(ZOOM_STEP)}
          disabled={zoom >= maximum}
          size="md"
        >
          <PlusIcon size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** Reports the position during playback, so that the view can follow. */
function useFollowing(playback: Playback, onMoved: (ms: number) => void): void {
  const latest = useRef(onMoved);
  useEffect(() => {
    latest.current = onMoved;
  });
  useEffect(
    () =>
      playback.subscribe(() => {
        if (playback.isPlaying) latest.current(playback.positionMs);
      }),
    [playback],
  );
}

/** Zooms with Ctrl or Cmd and the wheel (a pinch on a touchpad), and prevents the browser from zooming the page. */
function useWheelZoom(
  viewRef: { readonly current: HTMLElement | null },
  onZoom: (factor: number, anchorPx: number) => void,
): void {
  const latest = useRef(onZoom);
  useEffect(() => {
    latest.current = onZoom;
  });
  useEffect(() => {
    const view = viewRef.current;
    if (!view) return;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const anchorPx = event.clientX - view.getBoundingClientRect().left;
      latest.current(event.deltaY < 0 ? WHEEL_ZOOM : 1 / WHEEL_ZOOM, anchorPx);
    };
    view.addEventListener('wheel', onWheel, { passive: false });
    return () => view.removeEventListener('wheel', onWheel);
  }, [viewRef]);
}
