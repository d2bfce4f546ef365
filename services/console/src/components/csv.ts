/** A CSV file: the names in its first line, and one record of values per further line. */
export interface Csv {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const DELIMITERS = [',', ';', '\t'];

/**
 * Parses CSV (RFC 4180). Also accepts semicolons and tabs, whichever separates most columns of the first line. Throws an
 * error that names the line of a problem.
 */
export function parseCsv(text: string): Csv {
  const source = text.replace(/^\uFEFF/u, '');
  const [firstLine = ''] = source.split(/\r?\n/u, 1);
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const records = recordsOf(source, delimiter).filter(
    ({ values }) => values.length > 1 || values[0]?.trim() !== '',
  );
  const [header, ...rest] = records;
  if (!header) throw new Error('The file is empty.');
  const columns = header.values.map((name) => name.trim());
  const unnamed = columns.indexOf('');
  if (unnamed >= 0) throw new Error(`Column ${unnamed + 1} has no name in the first line.`);
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`Two columns have the name ${repeated}.`);
  for (const { line, values } of rest) {
    if (values.length !== columns.length) {
      throw new Error(`Line ${line} has ${values.length} values, but there are ${columns.length} columns.`);
    }
  }
  return { columns, rows: rest.map(({ values }) => values) };
}

interface CsvRecord {
  /** Number of its first line, from 1. */
  line: number;
  values: string[];
}

function recordsOf(source: string, delimiter: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, values: [] };
  // Matches a quoted value with doubled quotes, or a plain one, and then its delimiter or line break.
  const value = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${delimiter}]*))(${delimiter}|\\r?\\n|$)`, 'uy');
  while (value.lastIndex < source.length || record.values.length > 0) {
    const match = value.exec(source);
    if (!match) throw new Error(`Line ${line} has a quote at the wrong place or none at the end.`);
    const [whole, quoted, plain = '', end] = match;
    record.values.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end !== delimiter) {
      records.push(record);
      record = { line, values: [] };
      if (value.lastIndex >= source.length) break;
    }
  }
  return records;
}

/** Writes CSV for spreadsheets, which must not read text as a formula. */
export function writeCsv({ columns, rows }: Csv): string {
  return [columns, ...rows].map((values) => `${values.map(written).join(',')}\r\n`).join('');
}

function written(value: string): string {
  const isFormula = /^(?:[=@\t\r]|[+-](?![\d\s().-]*$))/u.test(value);
  const text = isFormula ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
