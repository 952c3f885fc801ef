autocmd BufRead,BufNewFile *.dp setfiletype dp
