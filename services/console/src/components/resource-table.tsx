import { Button, Card, Center, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { List } from '../api/use-list.ts';
import { ErrorState } from './states.tsx';
import classes from './resource-table.module.css';

export interface Column<T> {
  readonly key: string;
  readonly header: string;
  readonly cell: (item: T) => ReactNode;
  /** Right-aligned, for numbers. */
  readonly align?: 'right';
  /** Hides the column on narrow screens. */
  readonly wideOnly?: boolean;
  /** Column width on wide screens. */
  readonly width?: string;
}

const SKELETON_ROWS = 6;
/** The same width as in the media queries of the styles. */
const NARROW = '(max-width: 47.99em)';

/**
 * A list of the API as a table: a skeleton while it loads, `empty` for an empty list, errors with a retry button, and a
 * button for more items. With `linkOf`, the first cell is a link that covers the whole row.
 */
export function ResourceTable<T>(props: {
  /** Caption for assistive technology. */
  caption: string;
  list: List<T>;
  columns: readonly Column<T>[];
  keyOf: (item: T) => string;
  linkOf?: (item: T) => string;
  /** Content of the card that replaces the row on narrow screens. */
  card?: (item: T) => ReactNode;
  empty: ReactNode;
}) {
  const { list, columns } = props;
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  if (list.items === undefined && list.error) return <ErrorState error={list.error} onRetry={list.retry} />;
  if (list.items?.length === 0) return <Card padding="xl">{props.empty}</Card>;
  if (props.card && isNarrow) return <Cards {...props} card={props.card} />;
  return (
    <>
      <Card padding={0} className={classes.card} data-stale={list.isStale} aria-busy={list.isLoading}>
        <Table className={classes.table} highlightOnHover={props.linkOf !== undefined}>
          <caption className={classes.caption}>{props.caption}</caption>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th
                  key={column.key}
                  className={classes.head}
                  data-wide={column.wideOnly}
                  ta={column.align ?? 'left'}
                  {...(column.width !== undefined && { w: { sm: column.width } })}
                >
                  {column.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.items === undefined
              ? Array.from({ length: SKELETON_ROWS }, (_, row) => <SkeletonRow key={row} columns={columns} />)
              : list.items.map((item) => (
                  <Row key={props.keyOf(item)} item={item} columns={columns} link={props.linkOf?.(item)} />
                ))}
          </Table.Tbody>
        </Table>
      </Card>
      <ListFoot list={list} />
    </>
  );
}

function Cards<T>(props: {
  caption: string;
  list: List<T>;
  keyOf: (item: T) => string;
  linkOf?: (item: T) => string;
  card: (item: T) => ReactNode;
}) {
  const { list, keyOf, linkOf, card } = props;
  return (
    <>
      <Stack
        component="ul"
        gap="xs"
        className={classes.cards}
        aria-label={props.caption}
        data-stale={list.isStale}
        aria-busy={list.isLoading}
      >
        {list.items === undefined
          ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
              <Skeleton key={row} component="li" height={84} />
            ))
          : list.items.map((item) => {
              const link = linkOf?.(item);
              return (
                <Card key={keyOf(item)} component="li" padding="sm">
                  {link === undefined ? (
                    card(item)
                  ) : (
                    <Link to={link} className={classes.cardLink}>
                      {card(item)}
                    </Link>
                  )}
                </Card>
              );
            })}
      </Stack>
      <ListFoot list={list} />
    </>
  );
}

function Row<T>({
  item,
  columns,
  link,
}: {
  item: T;
  columns: readonly Column<T>[];
  link: string | undefined;
}) {
  return (
    <Table.Tr className={classes.row} data-linked={link !== undefined}>
      {columns.map((column, index) => (
        <Table.Td key={column.key} data-wide={column.wideOnly} ta={column.align ?? 'left'}>
          {index === 0 && link !== undefined ? (
            <Link to={link} className={classes.link}>
              {column.cell(item)}
            </Link>
          ) : (
            column.cell(item)
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function SkeletonRow<T>({ columns }: { columns: readonly Column<T>[] }) {
  return (
    <Table.Tr>
      {columns.map((column, index) => (
        <Table.Td key={column.key} data-wide={column.wideOnly}>
          <Skeleton height={12} my={6} width={index === 0 ? '70%' : '45%'} ml={column.align && 'auto'} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function ListFoot<T>({ list }: { list: List<T> }) {
  if (list.items === undefined) return null;
  const count = list.items.length;
  return (
    <Center mt="md" style={{ flexDirection: 'column', gap: '0.5rem' }}>
      {list.error !== null && <ErrorState error={list.error} onRetry={list.retry} />}
      {list.hasMore && (
        <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
          Load more
        </Button>
      )}
      <Text c="dimmed" fz="xs" className="numbers" role="status">
        {count === list.total ? `${count} in total` : `${count} of ${list.total}`}
      </Text>
    </Center>
  );
}
