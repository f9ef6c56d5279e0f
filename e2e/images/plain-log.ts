interface Line {
  readonly name: string;
  readonly msg: string;
}

/** A log with the name of the writer and the message of each line of JSON; other lines are as they are. */
export function plainLog(log: string): string {
  return log
    .split('\n')
    .map((line) => {
      const { name, msg } = parsed(line) ?? {};
      return name === undefined ? line : `${name}: ${msg}`;
    })
    .join('\n');
}

function parsed(line: string): Line | undefined {
  if (!line.startsWith('{"level":"')) return undefined;
  const { name, msg = '' } = JSON.parse(line) as Line;
  return { name, msg };
}
