import { Skeleton } from '@mantine/core';
import classes from './overview.module.css';

export function RowSkeletons({ rows }: { rows: number }) {
  return Array.from({ length: rows }, (_, index) => (
    <li key={index} className={classes.row}>
      <Skeleton height={14} my={8} width="50%" />
    </li>
  ));
}
