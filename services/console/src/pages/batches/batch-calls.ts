import type { Schemas } from '../../api/client.ts';
import type { Csv } from '../../components/csv.ts';
import type { Variable } from '../../components/variable-fields.tsx';
import { templateContext } from '../talk/template-variables.ts';

export type ScheduledCallRequest = Schemas['ScheduledCallRequest'];

/** How a column of the file is used. `context:` is followed by the path of a variable. */
export type ColumnUse = '' | 'to' | 'metadata' | `context:${string}`;

const PHONE_NAMES = /^(?:phone|mobile|telephone|number|to|phone[ _-]?number)$/iu;

export function contextUse(path: string): ColumnUse {
  return `context:${path}`;
}

export function isColumnUse(text: string): text is ColumnUse {
  return ['', 'to', 'metadata'].includes(text) || text.startsWith('context:');
}

/** The use of a column by its name: the variable of this name, or the phone number. */
export function guessedUse(column: string, variables: readonly Variable[]): ColumnUse {
  const variable = variables.find(({ path }) => path.toLowerCase() === column.toLowerCase());
  if (variable) return contextUse(variable.path);
  return PHONE_NAMES.test(column) ? 'to' : '';
}

/** One call for each row. `mediumOf`: the medium for a phone number. */
export function callsOf(
  { columns, rows }: Csv,
  uses: Readonly<Record<string, ColumnUse>>,
  variables: readonly Variable[],
  mediumOf: (to: string) => Schemas['CallMedium'],
): ScheduledCallRequest[] {
  return rows.map((row) => {
    const values: Record<string, string> = {};
    const metadata: Record<string, string> = {};
    let medium: Schemas['CallMedium'] | undefined;
    columns.forEach((column, index) => {
      const use = uses[column] ?? '';
      const text = (row[index] ?? '').trim();
      if (use === 'to') medium = mediumOf(text);
      else if (use === 'metadata') metadata[column] = text;
      else if (use !== '') values[use.slice(contextUse('').length)] = text;
    });
    const context = templateContext(variables, values);
    return {
      ...(medium && { medium }),
      ...(Object.keys(context).length > 0 && { templateContext: context }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
  });
}

const IN_CALL = /^calls\.(\d+)(?:\.(.*))?$/u;

/** Returns the text of an issue with its line in the file; null for issues of other fields. */
export function lineText({ path, message }: { path: string; message: string }): string | null {
  const match = IN_CALL.exec(path);
  if (!match) return null;
  const [, index = '', field = ''] = match;
  // The first line contains the names of the columns.
  return `Row ${Number(index) + 1}${field === '' ? '' : `, ${field}`}: ${message}`;
}
