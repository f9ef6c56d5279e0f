/** nginx that serves and takes the files of a directory by itself: the plainest way to move them. */
export function nginxOfFiles(root: string): (port: number, directory: string) => string {
  return (port, directory) => `
daemon off;
user root;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path ${root}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
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
}
`;
}
