#!/bin/sh
# Makes the test authority and its certificates (valid for 100 years, one expired). Run in this folder.
set -e
openssl ecparam -name prime256v1 -genkey -noout -out authority-key.pem
openssl req -x509 -new -key authority-key.pem -days 36500 -subj '/CN=Sluice test authority' -out authority.pem
openssl ecparam -name prime256v1 -genkey -noout -out server-key.pem
sign() { # name, subject alternative names, further arguments of x509
  name=$1; names=$2; shift 2
  openssl req -new -key server-key.pem -subj "/CN=$name" -out request.pem
  printf 'subjectAltName=%s\n' "$names" > names.cnf
  openssl x509 -req -in request.pem -CA authority.pem -CAkey authority-key.pem -set_serial "$SERIAL" \
    -extfile names.cnf -out "$name.pem" "$@" 2>/dev/null
}
SERIAL=1 sign local 'DNS:localhost,IP:127.0.0.1,IP:::1' -days 36500
SERIAL=2 sign wrong-host 'DNS:elsewhere.example' -days 36500
SERIAL=4 sign renewed 'DNS:localhost,IP:127.0.0.1' -days 36500
openssl req -new -x509 -key server-key.pem -subj '/CN=localhost' -addext 'subjectAltName=DNS:localhost' \
  -days 36500 -out self-signed.pem
mkdir -p demo && : > demo/index && echo 03 > demo/serial
cat > demo/ca.cnf <<CNF
[ca]
default_ca = d
[d]
new_certs_dir = demo
database = demo/index
serial = demo/serial
default_md = sha256
policy = p
x509_extensions = v
[p]
commonName = supplied
[v]
subjectAltName = DNS:localhost
CNF
openssl req -new -key server-key.pem -subj '/CN=expired' -out request.pem
openssl ca -batch -config demo/ca.cnf -cert authority.pem -keyfile authority-key.pem -in request.pem \
  -startdate 20000101000000Z -enddate 20010101000000Z -notext -out expired.pem 2>/dev/null
rm -rf demo request.pem names.cnf authority-key.pem
