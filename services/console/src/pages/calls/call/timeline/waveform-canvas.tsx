import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { peakBetween, type Peaks } from '../recording/wav-peaks.ts';
import { pxToMs, type Scale } from './timeline-scale.ts';
import classes from './timeline.module.css';

const BAR_PX = 2;
const GAP_PX = 1;
/** Makes quiet speech visible. */
const QUIET_EXPONENT = 0.6;
const MIN_BAR_PX = 1.5;

/** The visible part of both waveforms, the user above. Decorative: the transcript has the content. */
export function WaveformCanvas(props: {
  peaks: Peaks;
  /** Number of known peaks; redraws when it grows. */
  filled: number;
  scale: Scale;
  scrollPx: number;
}) {
  const { peaks, filled, scale, scrollPx } = props;
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const canvas = canvasRef.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return;
    const { width, height } = canvas.getBoundingClientRect();
    const dots = window.devicePixelRatio;
    canvas.width = Math.round(width * dots);
    canvas.height = Math.round(height * dots);
    context.scale(dots, dots);
    const style = getComputedStyle(canvas);
    const lanes = [
      { of: peaks.user, color: style.getPropertyValue('outline-color') },
      { of: peaks.agent, color: style.getPropertyValue('color') },
    ];
    for (const [index, lane] of lanes.entries()) {
      const middle = (height / 4) * (2 * index + 1);
      context.fillStyle = lane.color;
      // Aligns bars to time, so that they do not flicker while scrolling.
      const step = BAR_PX + GAP_PX;
      for (let px = -(scrollPx % step); px < width; px += step) {
        const at = scrollPx + px;
        const loud = peakBetween(lane.of, pxToMs(scale, at), pxToMs(scale, at + step));
        const bar = Math.max(MIN_BAR_PX, (height / 2 - 8) * loud ** QUIET_EXPONENT);
        context.fillRect(px, middle - bar / 2, BAR_PX, bar);
      }
    }
  }, [peaks, filled, scale, scrollPx, scheme]);
  return <canvas ref={canvasRef} className={classes.canvas} aria-hidden="true" />;
}
