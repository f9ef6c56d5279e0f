/** The content of nginx's `http` block for its port. */
export type NginxSite = (port: number) => string;

/** The whole configuration of one nginx in the foreground, which writes nothing outside of `directory`. */
export function nginxConfig(site: NginxSite, port: number, directory: string): string {
  return `
daemon off;
user root;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
${site(port)}}
`;
}

/**
 * nginx as a gateway: it first sends each request to the daemon's `/internal/auth`, then relays it over kept
 * connections. It relays answers at once, through memory only, with buffers large enough not to be the limit.
 */
export function nginxBeforeDaemon(daemonPort: number): NginxSite {
  return (port) => `
  keepalive_requests 10000000;
  upstream daemon {
    server 127.0.0.1:${daemonPort};
    keepalive 64;
    keepalive_requests 10000000;
  }
  proxy_http_version 1.1;
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location = /judged {
      internal;
      proxy_pass http://daemon/internal/auth;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Original-URI $request_uri;
      proxy_set_header X-Original-Method $request_method;
    }
    location / {
      auth_request /judged;
      proxy_pass http://daemon;
      proxy_request_buffering off;
      proxy_max_temp_file_size 0;
      proxy_buffers 16 64k;
      proxy_buffer_size 64k;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Request-ID $request_id;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
`;
}

/**
 * nginx as a plain relay of upgrades.
 * @param buffer its `proxy_buffer_size`, the bytes that it reads of an upgraded connection at a time; default: nginx's
 */
export function nginxBeforeUpgrades(upstreamPort: number, buffer?: string): NginxSite {
  return (port) => `
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_http_version 1.1;
      ${buffer === undefined ? '' : `proxy_buffer_size ${buffer}; proxy_buffers 16 ${buffer};`}
      proxy_read_timeout 1h;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $http_connection;
      proxy_set_header Host $http_host;
    }
  }
`;
}

/** nginx that serves and stores the files of a directory. It copies what it serves, since sendfile is not for Node. */
export function nginxOfFiles(root: string): NginxSite {
  return (port) => `
  sendfile off;
  output_buffers 2 512k;
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    client_body_buffer_size 1m;
    location = /health { return 200 '{}'; }
    location / {
      root ${root};
      dav_methods PUT;
    }
  }
`;
}
