import { describe, expect, it } from '@jest/globals';
import {
  clockText,
  maxZoom,
  msToPx,
  pxToMs,
  scrollToShow,
  ticks,
  zoomBy,
  type Scale,
} from './timeline-scale.ts';

const scale = (given: Partial<Scale> = {}): Scale => ({ durationMs: 60_000, viewPx: 600, zoom: 1, ...given });

describe('timeline scale', () => {
  it('converts times to pixels and back, within the limits of the call', () => {
    expect(msToPx(scale(), 30_000)).toBe(300);
    expect(msToPx(scale({ zoom: 4 }), 30_000)).toBe(1200);
    expect(pxToMs(scale({ zoom: 4 }), 1200)).toBe(30_000);
    expect(pxToMs(scale(), -5)).toBe(0);
    expect(pxToMs(scale(), 601)).toBe(60_000);
    expect(msToPx(scale({ durationMs: 0 }), 0)).toBe(0);
    expect(pxToMs(scale({ viewPx: 0 }), 10)).toBe(0);
  });

  it('zooms around a position, between the whole call and 5 ms per pixel', () => {
    const at = { scrollPx: 0, anchorPx: 300 };
    expect(zoomBy(scale(), 2, at)).toEqual({ zoom: 2, scrollPx: 300 });
    expect(zoomBy(scale({ zoom: 2 }), 0.5, { scrollPx: 300, anchorPx: 300 })).toEqual({
      zoom: 1,
      scrollPx: 0,
    });
    expect(zoomBy(scale(), 1000, at).zoom).toBe(20);
    expect(zoomBy(scale(), 0.01, at)).toEqual({ zoom: 1, scrollPx: 0 });
    expect(maxZoom({ durationMs: 1000, viewPx: 600 })).toBe(1);
    // The view does not extend beyond the end of the call.
    expect(zoomBy(scale(), 2, { scrollPx: 0, anchorPx: 600 }).scrollPx).toBe(600);
  });

  it('scrolls only to positions out of view', () => {
    const zoomed = scale({ zoom: 4 });
    expect(scrollToShow(zoomed, 0, 10_000)).toBe(0);
    expect(scrollToShow(zoomed, 0, 30_000)).toBe(1050);
    expect(scrollToShow(zoomed, 1500, 0)).toBe(0);
    expect(scrollToShow(zoomed, 0, 60_000)).toBe(1800);
  });

  it('has ticks at round times with a minimum distance, in the visible part', () => {
    expect(ticks(scale(), 0)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000]);
    expect(ticks(scale({ zoom: 10 }), 3000)).toEqual([
      30_000, 31_000, 32_000, 33_000, 34_000, 35_000, 36_000,
    ]);
    expect(ticks(scale({ durationMs: 3_600_000 }), 0)).toHaveLength(6);
    expect(ticks(scale({ durationMs: 0 }), 0)).toEqual([]);
  });

  it.each([
    [0, '0:00'],
    [7999, '0:07'],
    [3_729_000, '1:02:09'],
  ])('formats %d ms as %s', (ms, text) => {
    expect(clockText(ms)).toBe(text);
  });

  it('shows tenths of a second when requested', () => {
    expect(clockText(1250, true)).toBe('0:01.2');
  });
});
