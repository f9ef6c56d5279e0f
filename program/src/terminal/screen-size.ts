/** Columns and rows of a terminal. */
export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}
