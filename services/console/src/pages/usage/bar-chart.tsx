import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import classes from './bar-chart.module.css';
import { axisTicks, labelEvery } from './chart-scale.ts';
import { amountText } from './usage-days.ts';

export interface Series {
  name: string;
  tone: 'main' | 'faint' | 'second' | 'bad';
  /** One value per day. */
  values: readonly number[];
}

const HEIGHT_PX = 168;
const AXIS_PX = { left: 34, bottom: 20, top: 6 };
const LABEL_PX = 54;
const MAX_BAR_PX = 26;
const GAP_SHARE = 0.28;

/** Stacked bars by day. The page also has the figures in a table. */
export function BarChart(props: {
  label: string;
  days: readonly string[];
  series: readonly Series[];
  /** Whether values are whole numbers. */
  isCount: boolean;
}) {
  const { label, days, series, isCount } = props;
  const { ref, width } = useElementSize();
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const totals = days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const ticks = axisTicks(Math.max(0, ...totals), isCount);
  const top = ticks.at(-1) ?? 1;
  const plotPx = Math.max(0, width - AXIS_PX.left);
  const floorPx = HEIGHT_PX - AXIS_PX.bottom;
  const yOf = (value: number): number => floorPx - (value / top) * (floorPx - AXIS_PX.top);
  const stepPx = plotPx / Math.max(1, days.length);
  const barPx = Math.max(1, Math.min(MAX_BAR_PX, stepPx * (1 - GAP_SHARE)));
  const every = labelEvery(days.length, plotPx, LABEL_PX);
  return (
    <div ref={ref}>
      <div className={classes.head} aria-hidden="true">
        <span>
          {series.map(({ name, tone }) => (
            <span key={name} className={classes.legend}>
              <span className={classes.swatch} data-tone={tone} />
              {name}
            </span>
          ))}
        </span>
        <span>{pointedAt !== null && readOut(days[pointedAt] ?? '', series, pointedAt)}</span>
      </div>
      <svg
        className={classes.plot}
        width={width}
        height={HEIGHT_PX}
        role="img"
        aria-label={`${label}: ${amountText(sum(totals))} in total, ${amountText(Math.max(0, ...totals))} on the busiest day`}
        onPointerLeave={() => setPointedAt(null)}
      >
        {ticks.map((value) => (
          <g key={value}>
            <line className={classes.grid} x1={AXIS_PX.left} x2={width} y1={yOf(value)} y2={yOf(value)} />
            <text x={AXIS_PX.left - 6} y={yOf(value) + 4} textAnchor="end">
              {amountText(value)}
            </text>
          </g>
        ))}
        {days.map((day, index) => {
          const x = AXIS_PX.left + index * stepPx;
          return (
            <g key={day} className={classes.column} onPointerEnter={() => setPointedAt(index)}>
              <rect
                className={classes.band}
                x={x}
                width={stepPx}
                y={AXIS_PX.top}
                height={floorPx - AXIS_PX.top}
              />
              <Bars series={series} index={index} yOf={yOf} x={x + (stepPx - barPx) / 2} width={barPx} />
              {(days.length - 1 - index) % every === 0 && (
                <text x={x + stepPx / 2} y={HEIGHT_PX - 4} textAnchor="middle">
                  {dayText(day)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function Bars(props: {
  series: readonly Series[];
  index: number;
  yOf: (value: number) => number;
  x: number;
  width: number;
}) {
  const { series, index, yOf, x, width } = props;
  return series.map(({ name, tone, values }, at) => {
    const value = values[index] ?? 0;
    const below = sum(series.slice(0, at).map((other) => other.values[index] ?? 0));
    if (value === 0) return null;
    return (
      <rect
        key={name}
        className={classes.bar}
        data-tone={tone}
        x={x}
        width={width}
        y={yOf(below + value)}
        height={yOf(below) - yOf(below + value)}
        rx={Math.min(2, width / 4)}
      />
    );
  });
}

function readOut(day: string, series: readonly Series[], index: number): string {
  const values = series.map(({ name, values }) => `${name.toLowerCase()} ${amountText(values[index] ?? 0)}`);
  return `${dayText(day)}: ${values.join(', ')}`;
}

/** `21 Nov`; days are in UTC. */
export function dayText(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
