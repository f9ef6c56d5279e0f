/** A program on PATH and what it is for. */
interface Utility {
  readonly name: string;
  readonly description: string;
}

export interface UtilityCategory {
  readonly category: string;
  readonly tools: readonly Utility[];
}

/** Programs that an agent asks for, by kind. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shell: { bash: 'shell', zsh: 'shell', tmux: 'terminal multiplexer', jq: 'JSON processor', yq: 'YAML processor' },
  search: { rg: 'search in files', grep: 'search in files', fd: 'find files', find: 'find files' },
  text: { sed: 'stream editor', awk: 'text processing', vim: 'editor', vi: 'editor', nano: 'editor', less: 'pager' },
  'version control': { git: 'version control', gh: 'GitHub from the command line', svn: 'version control' },
  network: {
    curl: 'HTTP client',
    wget: 'download files',
    ssh: 'remote shell',
    rsync: 'copy files',
    nc: 'raw connections',
    dig: 'ask DNS',
  },
  archive: {
    tar: 'archives',
    zip: 'archives',
    unzip: 'archives',
    gzip: 'compression',
    xz: 'compression',
    zstd: 'compression',
  },
  build: { make: 'build tool', cmake: 'build tool', gcc: 'C compiler', 'g++': 'C++ compiler', go: 'Go', cargo: 'Rust' },
  packages: {
    pip: 'Python packages',
    uv: 'Python packages',
    npm: 'Node.js packages',
    pnpm: 'Node.js packages',
    yarn: 'Node.js packages',
    'apt-get': 'system packages',
  },
  media: { ffmpeg: 'audio and video', convert: 'images', pdftotext: 'text of PDF files', pandoc: 'documents' },
  data: { sqlite3: 'SQL database in a file', psql: 'PostgreSQL client', 'redis-cli': 'Redis client' },
  browser: { chromium: 'web browser', 'google-chrome': 'web browser' },
};

/** Those that are there, by kind; kinds without one are left out. */
export function utilities(isThere: (program: string) => boolean): UtilityCategory[] {
  return Object.entries(KNOWN).flatMap(([category, programs]) => {
    const tools = Object.entries(programs).flatMap(([name, description]) =>
      isThere(name) ? [{ name, description }] : [],
    );
    return tools.length === 0 ? [] : [{ category, tools }];
  });
}
