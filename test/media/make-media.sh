#!/usr/bin/env bash
# Makes the committed test media anew (needs FFmpeg with libx264, libvpx, libopus). Small on purpose: what is
# tested is containers and packets, not pictures.
set -euo pipefail
cd "$(dirname "$0")/files"
ff() { ffmpeg -hide_banner -loglevel error -y -bitexact "$@"; }
picture='testsrc2=size=160x90:rate=25:duration=4'
sound='sine=frequency=440:duration=4:sample_rate=44100'
ff -f lavfi -i "$picture" -c:v libx264 -preset veryslow -crf 40 -g 50 -bf 2 -pix_fmt yuv420p -an video.mp4
ff -f lavfi -i "$sound" -c:a aac -b:a 32k -vn audio.m4a
ff -f lavfi -i "$picture" -c:v libvpx-vp9 -crf 55 -b:v 0 -g 50 -an video.webm
ff -f lavfi -i "$sound" -c:a libopus -b:a 24k -vn audio.webm
ff -itsoffset 0.7 -i audio.m4a -c copy late.m4a
