import { Alert, Anchor, Select, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core';
import { Link } from 'react-router';
import type { Csv } from '../../components/csv.ts';
import { Section } from '../../components/layout.tsx';
import type { Variable } from '../../components/variable-fields.tsx';
import { contextUse, isColumnUse, type ColumnUse } from './batch-calls.ts';
import type { Dialer } from './dialers.ts';

/** The provider or trunk that places calls to the numbers of a file. */
interface PhoneChoice {
  dialers: readonly Dialer[];
  dialer: Dialer | undefined;
  onDialer: (value: string) => void;
  from: string;
  onFrom: (number: string) => void;
}

/** What each column of the file is used as. */
export function ColumnsSection(props: {
  csv: Csv;
  uses: Readonly<Record<string, ColumnUse>>;
  onUse: (column: string, use: ColumnUse) => void;
  variables: readonly Variable[];
  phone: PhoneChoice | null;
}) {
  const { csv, uses, onUse, variables, phone } = props;
  const data = [
    { value: '', label: 'Not used' },
    { value: 'to', label: 'Number to call' },
    ...variables.map(({ path }) => ({ value: contextUse(path), label: `Variable ${path}` })),
    { value: 'metadata', label: 'Metadata' },
  ];
  const missing = variables.filter(
    ({ path, isRequired }) => isRequired && !Object.values(uses).includes(contextUse(path)),
  );
  return (
    <Section title="Columns" description="What each column of the file is used for.">
      <Stack>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Column</Table.Th>
              <Table.Th>Use</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {csv.columns.map((column, index) => (
              <Table.Tr key={column}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {column}
                  <Text span display="block" fz="xs" c="dimmed" lineClamp={1}>
                    {csv.rows[0]?.[index]}
                  </Text>
                </Table.Td>
                <Table.Td w="55%">
                  <Select
                    aria-label={`Use of ${column}`}
                    data={data}
                    value={uses[column] ?? ''}
                    onChange={(use) => onUse(column, use !== null && isColumnUse(use) ? use : '')}
                    allowDeselect={false}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {missing.length > 0 && (
          <Alert color="yellow">
            No column has the variables {missing.map(({ path }) => path).join(', ')}, which the agent needs.
          </Alert>
        )}
        {phone ? (
          <PhoneFields {...phone} />
        ) : (
          <Text c="dimmed" fz="sm">
            No column has the number to call, so the calls use the medium of the agent.
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function PhoneFields({ dialers, dialer, onDialer, from, onFrom }: PhoneChoice) {
  if (!dialer) {
    return (
      <Alert color="yellow" title="No provider or trunk can call these numbers">
        Connect a telephony provider or add a SIP trunk on the{' '}
        <Anchor component={Link} to="/phone" c="inherit" underline="always" inherit>
          Phone
        </Anchor>{' '}
        page.
      </Alert>
    );
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Select
        label="Call through"
        data={dialers.map(({ value, label }) => ({ value, label }))}
        value={dialer.value}
        onChange={(value) => onDialer(value ?? '')}
        allowDeselect={false}
      />
      <TextInput
        label="Caller number"
        description={
          dialer.needsFrom ? 'A number of the provider.' : 'Leave empty to use the number of the trunk.'
        }
        required={dialer.needsFrom}
        type="tel"
        placeholder="+4930654321"
        value={from}
        onChange={(event) => onFrom(event.currentTarget.value)}
      />
    </SimpleGrid>
  );
}
