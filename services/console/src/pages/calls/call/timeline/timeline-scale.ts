/** Maps time to pixels. Zoom 1 shows the whole call in the view. */
export interface Scale {
  durationMs: number;
  /** Width of the view. */
  viewPx: number;
  zoom: number;
}

/** Limit of the zoom. */
const MIN_MS_PER_PX = 5;
const TICK_STEPS_MS = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000,
];
const MIN_TICK_PX = 72;
/** The longest label: `1:02:09.5`. */
const LABEL_PX = 40;

export function contentPx({ viewPx, zoom }: Scale): number {
  return viewPx * zoom;
}

export function msToPx(scale: Scale, ms: number): number {
  return scale.durationMs === 0 ? 0 : (ms / scale.durationMs) * contentPx(scale);
}

/** Clamped to the duration of the call. */
export function pxToMs(scale: Scale, px: number): number {
  const width = contentPx(scale);
  const ms = width === 0 ? 0 : (px / width) * scale.durationMs;
  return Math.min(Math.max(0, ms), scale.durationMs);
}

export function maxZoom({ durationMs, viewPx }: Omit<Scale, 'zoom'>): number {
  return viewPx === 0 ? 1 : Math.max(1, durationMs / (viewPx * MIN_MS_PER_PX));
}

/** Zooms by a factor. `scrollPx` keeps the time at `anchorPx` of the view in place. */
export function zoomBy(
  scale: Scale,
  factor: number,
  { scrollPx, anchorPx }: { scrollPx: number; anchorPx: number },
): { zoom: number; scrollPx: number } {
  const zoom = Math.min(maxZoom(scale), Math.max(1, scale.zoom * factor));
  const zoomed = { ...scale, zoom };
  const anchorMs = pxToMs(scale, scrollPx + anchorPx);
  const wanted = msToPx(zoomed, anchorMs) - anchorPx;
  return { zoom, scrollPx: Math.min(Math.max(0, wanted), contentPx(zoomed) - scale.viewPx) };
}

/** The scroll position that shows a time: unchanged if it is visible, else with the time at a quarter of the view. */
export function scrollToShow(scale: Scale, scrollPx: number, ms: number): number {
  const px = msToPx(scale, ms);
  if (px >= scrollPx && px <= scrollPx + scale.viewPx) return scrollPx;
  const wanted = px - scale.viewPx / 4;
  return Math.min(Math.max(0, wanted), contentPx(scale) - scale.viewPx);
}

/**
 * Returns round times for the labels near the visible part, with enough distance between each other and from the end of
 * the call.
 */
export function ticks(scale: Scale, scrollPx: number): readonly number[] {
  if (scale.durationMs <= 0 || scale.viewPx <= 0) return [];
  const msPerPx = scale.durationMs / contentPx(scale);
  const stepMs =
    TICK_STEPS_MS.find((step) => step / msPerPx >= MIN_TICK_PX) ?? TICK_STEPS_MS.at(-1) ?? 3_600_000;
  const first = Math.max(0, Math.floor((scrollPx * msPerPx) / stepMs));
  const lastMs = Math.min(scale.durationMs - LABEL_PX * msPerPx, (scrollPx + scale.viewPx) * msPerPx);
  const last = Math.floor(lastMs / stepMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * stepMs);
}

/** `0:07`, `1:02:09`; with tenths if ticks are less than a second apart. */
export function clockText(ms: number, withTenths = false): string {
  const tenths = Math.floor(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const head =
    minutes < 60
      ? `${minutes}:${two(seconds % 60)}`
      : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return withTenths ? `${head}.${tenths % 10}` : head;
}
