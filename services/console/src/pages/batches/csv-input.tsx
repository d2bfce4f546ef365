import { FileInput, Text } from '@mantine/core';
import { useState } from 'react';
import { parseCsv, type Csv } from '../../components/csv.ts';

const MAX_ROWS = 10_000;

/** Chooses and reads a CSV file. `onChange` gets null while there is no valid one. */
export function CsvInput({ onChange }: { onChange: (csv: Csv | null) => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [rows, setRows] = useState(0);
  const [issue, setIssue] = useState<string>();
  const choose = async (chosen: File | null): Promise<void> => {
    setFile(chosen);
    setIssue(undefined);
    onChange(null);
    setRows(0);
    if (!chosen) return;
    try {
      const csv = parseCsv(await chosen.text());
      if (csv.rows.length === 0) throw new Error('There is no row after the names of the columns.');
      if (csv.rows.length > MAX_ROWS)
        throw new Error(`A batch has at most ${MAX_ROWS.toLocaleString()} rows.`);
      setRows(csv.rows.length);
      onChange(csv);
    } catch (thrown) {
      setIssue(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <>
      <FileInput
        label="CSV file"
        description="Separated by commas, semicolons or tabs, in UTF-8. At most 10,000 rows."
        placeholder="Choose a file"
        accept=".csv,.tsv,.txt,text/csv"
        value={file}
        onChange={(chosen) => void choose(chosen)}
        error={issue}
        clearable
        clearButtonProps={{ 'aria-label': 'Remove the file' }}
      />
      <Text fz="sm" c="dimmed" mt={rows > 0 ? 'xs' : 0} role="status">
        {rows > 0 && `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'}`}
      </Text>
    </>
  );
}
