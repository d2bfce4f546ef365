import { Text, VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import { inWords, type TemplateChange } from './template-changes.ts';
import { textDiff, type DiffGap, type DiffLine } from './text-diff.ts';
import classes from './versions.module.css';

const KINDS = { added: 'Added', removed: 'Removed', changed: 'Changed' };
const SIGNS = { same: ' ', added: '+', removed: '−' };
const SPOKEN = { same: '', added: 'Added: ', removed: 'Removed: ' };
/** Shorter values are shown side by side. */
const MAX_SHORT_CHARS = 48;
const MAX_SHOWN_LINES = 400;

/** Changed fields of a template, before and after. */
export function ChangeList({ changes }: { changes: readonly TemplateChange[] }) {
  return (
    <ul className={classes.changes}>
      {changes.map((change) => (
        <ChangeView key={change.path.join('.')} change={change} />
      ))}
    </ul>
  );
}

function ChangeView({ change }: { change: TemplateChange }) {
  const { path, kind, before, after } = change;
  const [was, is] = [textOf(before), textOf(after)];
  return (
    <li>
      <div className={classes.changeName}>
        <b>
          {inWords(path[0] ?? '')}
          {path.slice(1).map((name, depth) => (
            <Fragment key={depth}>
              {' › '}
              <span className="mono">{name}</span>
            </Fragment>
          ))}
        </b>
        <Text span fz="xs" c="dimmed">
          {KINDS[kind]}
        </Text>
      </div>
      {isShort(was) && isShort(is) ? (
        <div className={classes.values}>
          {was !== null && <del>{was || '(empty)'}</del>}
          {kind === 'changed' && <span aria-label="became">→</span>}
          {is !== null && <ins>{is || '(empty)'}</ins>}
        </div>
      ) : (
        <Lines rows={rowsOf(was, is)} />
      )}
    </li>
  );
}

function Lines({ rows }: { rows: readonly (DiffLine | DiffGap)[] }) {
  const left = rows.length - MAX_SHOWN_LINES;
  return (
    <div className={classes.lines}>
      {rows.slice(0, MAX_SHOWN_LINES).map((row, index) =>
        row.kind === 'gap' ? (
          <div key={index} className={classes.gap}>
            {row.lines} unchanged lines
          </div>
        ) : (
          <div key={index} className={classes.line} data-kind={row.kind}>
            <span aria-hidden="true">{SIGNS[row.kind]}</span>
            <span>
              <VisuallyHidden>{SPOKEN[row.kind]}</VisuallyHidden>
              {row.parts.map(({ text, isMarked }, at) => (isMarked ? <mark key={at}>{text}</mark> : text))}
            </span>
          </div>
        ),
      )}
      {left > 0 && <div className={classes.gap}>{left} more lines: see all settings</div>}
    </div>
  );
}

/** Display text; null for a missing value. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function isShort(text: string | null): boolean {
  return text === null || (text.length <= MAX_SHORT_CHARS && !text.includes('\n'));
}

function rowsOf(was: string | null, is: string | null): readonly (DiffLine | DiffGap)[] {
  if (was !== null && is !== null) return textDiff(was, is);
  const kind = was === null ? 'added' : 'removed';
  return (was ?? is ?? '').split('\n').map((text) => ({ kind, parts: [{ text, isMarked: false }] }));
}
